import { type EntityText, etagOf } from '../../entity/stored/entity.js';
import { readValues } from '../../entity/stored/read-property.js';
import { entityPath, keyOf } from '../../entity/stored/write-row.js';
import type { Select } from '../../query/select.js';
import type { Body } from '../json/page-buffer.js';
import type { AtomRepresentation } from '../representation.js';
import type { PageWriting } from '../write-rows.js';
import { type Entry, writeEntryDocument, writeFeedEntry } from './write-entry.js';
import { writeFeed } from './write-feed.js';
import { writeProperty } from './write-property.js';

/** Writes the body of an answer with a single entity. Source: atom 3.1. */
export function writeEntity(text: EntityText, select: Select | undefined, representation: AtomRepresentation): string {
  return writeEntryDocument(entryOf(text, select, representation), representation);
}

/**
 * Writes the body of an answer with a page of entities.
 *
 * Errors: those of `writeRows`. Source: atom 3.2.
 */
export function writeEntityPage(
  rows: readonly EntityText[],
  select: Select | undefined,
  representation: AtomRepresentation,
  writing: PageWriting,
): Body | Promise<Body> {
  const writeRow = (text: EntityText) => writeFeedEntry(entryOf(text, select, representation), representation);
  return writeFeed({ table: representation.links.table, rows, writeRow, writing }, representation);
}

/** Returns the entry of an entity. Its tag and links are complete whatever is selected. Source: atom 3.3; atom 3.4. */
function entryOf(text: EntityText, select: Select | undefined, { links }: AtomRepresentation): Entry {
  const values = readValues(text);
  const names = select?.names ?? values.keys();
  let properties = '';
  for (const name of names) properties += writeProperty(name, values.get(name));
  const path = entityPath(links.table, keyOf(text, 'PartitionKey'), keyOf(text, 'RowKey'));
  return { etag: etagOf(text), path, table: links.table, properties };
}
