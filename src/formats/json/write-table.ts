import { writeJsonString } from '../../entity/stored/json-text.js';
import { tablePath, tableUrl } from '../links.js';
import type { JsonRepresentation } from '../representation.js';
import type { PageWriting } from '../write-rows.js';
import type { Body } from './page-buffer.js';
import { writePage } from './write-page.js';

/** Writes the body of an answer with a single table. */
export function writeTable(name: string, representation: JsonRepresentation): string {
  const row = writeRow(name, representation);
  const { level, links } = representation;
  if (level === 'nometadata') return row;
  return `{"odata.metadata":${writeJsonString(`${links.base}/$metadata#Tables/@Element`)},${row.slice(1)}`;
}

/**
 * Writes the body of an answer with a page of tables.
 *
 * Errors: those of `writeRows`.
 */
export function writeTablePage(
  names: readonly string[],
  representation: JsonRepresentation,
  writing: PageWriting,
): Body | Promise<Body> {
  const { level, links } = representation;
  const context = writeJsonString(`${links.base}/$metadata#Tables`);
  return writePage({ level, context, rows: names, writeRow: (name) => writeRow(name, representation), writing });
}

/** Writes a table as a row of a page. Source: recordings-facts 2. */
function writeRow(name: string, { level, links }: JsonRepresentation): string {
  const own = `"TableName":${writeJsonString(name)}}`;
  if (level !== 'fullmetadata') return `{${own}`;
  const id = writeJsonString(tableUrl(name, links));
  return `{"odata.type":"${links.account}.Tables","odata.id":${id},"odata.editLink":"${tablePath(name)}",${own}`;
}
