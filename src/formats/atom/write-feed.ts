import { escapeXmlAttribute, escapeXmlText } from '../../protocol/xml/xml-text.js';
import type { Body } from '../json/page-buffer.js';
import type { AtomRepresentation } from '../representation.js';
import { type PageWriting, writeRows } from '../write-rows.js';
import { atomDeclaration, namespacesOf } from './atom-document.js';

/** A feed as input of `writeFeed`. */
export interface FeedToWrite {
  /** The table of the entities, or `Tables`. */
  readonly table: string;
  /** Texts of entities, or names of tables. */
  readonly rows: readonly string[];
  readonly writeRow: (row: string) => string;
  readonly writing: PageWriting;
}

/** Writes a feed as a document. Errors: those of `writeRows`. Source: atom 3.2; atom 9. */
export function writeFeed(
  { table, rows, writeRow, writing }: FeedToWrite,
  representation: AtomRepresentation,
): Body | Promise<Body> {
  const { updated, links } = representation;
  const title = escapeXmlAttribute(table);
  const path = encodeURIComponent(table);
  const id = escapeXmlText(`${links.base}/${path}`);
  const head =
    `${atomDeclaration}<feed${namespacesOf(representation)}><id>${id}</id><title type="text">${escapeXmlText(table)}</title>` +
    `<updated>${updated}</updated><link rel="self" title="${title}" href="${path}" />`;
  // A feed needs an author, which entries have otherwise.
  const author = rows.length === 0 ? '<author><name /></author>' : '';
  const join = (pieces: readonly string[]) => `${head}${author}${pieces.join('')}</feed>`;
  return writeRows({ rows, writeRow, join, writing });
}
