import { escapeXmlAttribute, escapeXmlText } from '../../protocol/xml/xml-text.js';
import type { AtomRepresentation } from '../representation.js';
import { atomDeclaration, dataScheme, namespacesOf } from './atom-document.js';

/** What differs between entries. */
export interface Entry {
  /** Absent for tables. */
  readonly etag?: string;
  /** The path of the entity or the table, relative to the base. */
  readonly path: string;
  /** The table of the entity, or `Tables`. */
  readonly table: string;
  /** The properties as XML. */
  readonly properties: string;
}

/** Writes an entry as a document. Source: atom 3.1. */
export function writeEntryDocument(entry: Entry, representation: AtomRepresentation): string {
  return atomDeclaration + writeEntry(entry, representation, namespacesOf(representation));
}

/** Writes an entry within a feed. Source: atom 3.2. */
export function writeFeedEntry(entry: Entry, representation: AtomRepresentation): string {
  return writeEntry(entry, representation, '');
}

function writeEntry(
  { etag, path, table, properties }: Entry,
  representation: AtomRepresentation,
  root: string,
): string {
  const { updated, links } = representation;
  const tag = etag === undefined ? '' : ` m:etag="${escapeXmlAttribute(etag)}"`;
  const href = escapeXmlAttribute(path);
  const title = escapeXmlAttribute(table);
  return (
    `<entry${root}${tag}><id>${escapeXmlText(`${links.base}/${path}`)}</id>` +
    `<category term="${escapeXmlAttribute(links.account)}.${title}" scheme="${dataScheme}" />` +
    `<link rel="edit" title="${title}" href="${href}" /><title /><updated>${updated}</updated>` +
    `<author><name /></author><content type="application/xml"><m:properties>${properties}</m:properties></content></entry>`
  );
}
