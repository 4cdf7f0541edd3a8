import type { EntityText } from '../../entity/stored/entity.js';
import { writeJsonString } from '../../entity/stored/json-text.js';
import { rowWriter } from '../../entity/stored/write-row.js';
import type { MetadataLevel } from '../../protocol/values/edm.js';
import type { Select } from '../../query/select.js';
import { type JsonRepresentation, tablePath, tableUrl } from '../representation.js';
import { type PageWriting, type RowsToWrite, writeRows } from '../write-rows.js';
import type { Body, PageMemory } from './page-buffer.js';

/** Writes the body of an answer with a single entity. Source: operations 6. */
export function writeEntity(
  text: EntityText,
  select: Select | undefined,
  { level, links, untagged }: JsonRepresentation,
): string {
  const row = rowWriter(level, select?.names, links, untagged)(text);
  if (level === 'nometadata') return row;
  const context = writeJsonString(`${links.base}/$metadata#${links.table}/@Element${selectContext(select)}`);
  return `{"odata.metadata":${context},${row.slice(1)}`;
}

/** Writes the body of an answer with a page of entities. Errors: those of `writeRows`. Source: operations 6. */
export function writeEntityPage(
  rows: readonly EntityText[],
  select: Select | undefined,
  { level, links, untagged }: JsonRepresentation,
  writing: PageWriting,
): Body | Promise<Body> {
  const context = writeJsonString(`${links.base}/$metadata#${links.table}${selectContext(select)}`);
  return writePage({ level, context, rows, writeRow: rowWriter(level, select?.names, links, untagged), writing });
}

/** Returns the `$select` list as metadata URLs repeat it: spaces stay encoded. Source: recordings-facts 2. */
function selectContext(select: Select | undefined): string {
  return select ? `&$select=${select.text.replaceAll(' ', '%20')}` : '';
}

/** Largest text that Node.js writes to a socket at once, which is cheaper than a buffer. Unit: bytes. Source: docs/benchmarks.md. */
const textBytesMax = 16 * 1024;

/** A page as input of `writePage`. */
interface PageToWrite extends Omit<RowsToWrite, 'join'> {
  readonly level: MetadataLevel;
  /** The metadata URL as JSON. */
  readonly context: string;
}

/** Writes a page as the body of an answer. Errors: those of `writeRows`. Source: operations 6. */
function writePage({ level, context, rows, writeRow, writing }: PageToWrite): Body | Promise<Body> {
  const head = level === 'nometadata' ? '{"value":[' : `{"odata.metadata":${context},"value":[`;
  return writeRows({ rows, writeRow, join: (pieces) => joinPage(head, pieces, writing.pages), writing });
}

/**
 * Joins the written rows. All text is ASCII, so its length is its size in bytes. The rows of a large page are written into
 * one buffer, which costs a third of joining and encoding them. Source: docs/benchmarks.md.
 */
function joinPage(head: string, pieces: readonly string[], memory: PageMemory): Body {
  const tail = ']}';
  let bytes = head.length + tail.length + Math.max(0, pieces.length - 1);
  for (const piece of pieces) bytes += piece.length;
  if (bytes <= textBytesMax) return head + pieces.join(',') + tail;
  const buffer = memory.take(bytes);
  const page = buffer.bytes;
  let at = page.write(head, 0, 'latin1');
  for (const piece of pieces) {
    at += page.write(piece, at, 'latin1');
    // A comma. The tail replaces the last one.
    page[at++] = 44;
  }
  page.write(tail, bytes - tail.length, 'latin1');
  return buffer;
}

/** Writes the body of an answer with a single table. */
export function writeTable(name: string, representation: JsonRepresentation): string {
  const row = writeRow(name, representation);
  const { level, links } = representation;
  if (level === 'nometadata') return row;
  return `{"odata.metadata":${writeJsonString(`${links.base}/$metadata#Tables/@Element`)},${row.slice(1)}`;
}

/** Writes the body of an answer with a page of tables. Errors: those of `writeRows`. */
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
