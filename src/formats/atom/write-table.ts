import { escapeXmlText } from '../../protocol/xml/xml-text.js';
import type { Body } from '../json/page-buffer.js';
import { tablePath } from '../links.js';
import type { AtomRepresentation } from '../representation.js';
import type { PageWriting } from '../write-rows.js';
import { type Entry, writeEntryDocument, writeFeedEntry } from './write-entry.js';
import { writeFeed } from './write-feed.js';

/** The table of tables. */
const table = 'Tables';

/** Writes the body of an answer with a single table. Source: atom 3.1. */
export function writeTable(name: string, representation: AtomRepresentation): string {
  return writeEntryDocument(entryOf(name), representation);
}

/**
 * Writes the body of an answer with a page of tables.
 *
 * Errors: those of `writeRows`. Source: atom 3.2.
 */
export function writeTablePage(
  names: readonly string[],
  representation: AtomRepresentation,
  writing: PageWriting,
): Body | Promise<Body> {
  const writeRow = (name: string) => writeFeedEntry(entryOf(name), representation);
  return writeFeed({ table, rows: names, writeRow, writing }, representation);
}

function entryOf(name: string): Entry {
  return { path: tablePath(name), table, properties: `<d:TableName>${escapeXmlText(name)}</d:TableName>` };
}
