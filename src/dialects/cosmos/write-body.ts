import { type EntityKey, type EntityText, etagOf, writeMember } from '../../entity/stored/entity.js';
import { readJsonString } from '../../entity/stored/json-text.js';
import { readValues, type StoredValue } from '../../entity/stored/read-property.js';
import type { EntityLinks } from '../../entity/stored/write-row.js';
import type { Body } from '../../formats/json/page-buffer.js';
import type { JsonRepresentation, Representation } from '../../formats/representation.js';
import { type PageWriting, writeRows } from '../../formats/write-rows.js';
import type { Select } from '../../query/select.js';
import { arrangeProperties } from './key-places.js';

/** Returns a representation as JSON. Cosmos DB has no Atom, so nothing else is negotiated. */
function asJson(form: Representation): JsonRepresentation {
  return form.level === 'atom' ? { ...form, level: 'minimalmetadata' } : form;
}

/** Writes the body of an answer with a single entity, whose metadata URL has the table twice. Source: cosmos 2. */
export function writeEntity(text: EntityText, select: Select | undefined, form: Representation): string {
  const json = asJson(form);
  const { base, table } = json.links;
  return writeRow(text, { ...json, names: select?.names, context: `${base}/${table}/$metadata#${table}/@Element` });
}

/**
 * Writes the body of an answer with a page of entities.
 *
 * Errors: those of `writeRows`. Source: cosmos 2.
 */
export function writeEntityPage(
  rows: readonly EntityText[],
  select: Select | undefined,
  form: Representation,
  writing: PageWriting,
): Body | Promise<Body> {
  const rowForm = { ...asJson(form), names: select?.names };
  return writeList(rows, (row) => writeRow(row, rowForm), form, writing);
}

/** Writes the body of an answer with a single table. Source: cosmos 4. */
export function writeTable(name: string, form: Representation): string {
  const row = writeTableRow(name, form);
  return form.level === 'nometadata' ? row : withContext(row, `${form.links.base}/$metadata#Tables/@Element`);
}

/** Writes the body of an answer with a page of tables. Errors: those of `writeRows`. Source: cosmos 4. */
export function writeTablePage(
  names: readonly string[],
  form: Representation,
  writing: PageWriting,
): Body | Promise<Body> {
  return writeList(names, (name) => writeTableRow(name, form), form, writing, 'Tables');
}

function writeTableRow(name: string, { level, links }: Representation): string {
  const row = { TableName: name };
  if (level !== 'fullmetadata') return JSON.stringify(row);
  const path = tablePath(name);
  const type = { 'odata.type': `${links.account}.Tables` };
  return JSON.stringify({ ...type, 'odata.id': `${links.base}/${path}`, 'odata.editLink': path, ...row });
}

/** Writes a list, whose metadata URL comes last. */
function writeList(
  rows: readonly string[],
  write: (row: string) => string,
  { level, links }: Representation,
  writing: PageWriting,
  resource: string = links.table,
): Body | Promise<Body> {
  const join = (pieces: readonly string[]) => {
    const list = `{"value":[${pieces.join(',')}]}`;
    return level === 'nometadata' ? list : withContext(list, `${links.base}/$metadata#${resource}`);
  };
  return writeRows({ rows, writeRow: write, join, writing });
}

/** Adds the metadata URL at the end of an object. */
function withContext(object: string, context: string): string {
  return `${object.slice(0, -1)},"odata.metadata":${JSON.stringify(context)}}`;
}

/** Returns the ETag of a stored entity in the form of the `ETag` header. Source: cosmos 3. */
export function etagOfRow(text: EntityText): string {
  return etagOf(text).replace(/'([^']*)'/, (_, instant: string) => `'${padInstant(instant)}'`);
}

/** What the members of an entity in an answer depend on. */
interface RowForm extends JsonRepresentation {
  /** The selected properties; undefined for all. */
  readonly names: readonly string[] | undefined;
  /** The metadata URL of a single entity. Rows of a list have none. */
  readonly context?: string;
}

/**
 * Writes a stored entity as a JSON object: links and tags, then the properties in the order in which they were written, then
 * the Timestamp. Non-ASCII letters are not escaped. Source: cosmos 2.
 */
function writeRow(text: EntityText, { level, links, names, context }: RowForm): string {
  const values = readValues(text);
  const members: string[] = [];
  if (level === 'fullmetadata') {
    const path = entityPath(links.table, keyText(values, 'PartitionKey'), keyText(values, 'RowKey'));
    members.push(member('odata.type', `${links.account}.${links.table}`));
    members.push(member('odata.id', `${links.base}/${path}`), member('odata.editLink', path));
  }
  if (level !== 'nometadata') {
    if (context !== undefined) members.push(member('odata.metadata', context));
    members.push(member('odata.etag', etagOfRow(text)));
  }
  for (const [name, value] of selectProperties(values, names)) {
    const named = JSON.stringify(name).slice(1, -1);
    const json = writeValue(value);
    members.push(level === 'nometadata' ? `"${named}":${json}` : writeMember(named, value.type, json).slice(1));
  }
  if (names === undefined || names.includes('Timestamp')) {
    if (level === 'fullmetadata') members.push(member('Timestamp@odata.type', 'Edm.DateTime'));
    members.push(member('Timestamp', padInstant(keyText(values, 'Timestamp'))));
  }
  return `{${members.join(',')}}`;
}

/** Returns the properties of an answer without the Timestamp. A selected one that the entity does not have is null, and last. */
function selectProperties(
  values: ReadonlyMap<string, StoredValue>,
  names: readonly string[] | undefined,
): readonly (readonly [string, StoredValue])[] {
  const all = arrangeProperties(values);
  if (names === undefined) return all;
  const missing = names.filter((name) => !values.has(name)).map((name) => [name, absent] as const);
  return [...all.filter(([name]) => names.includes(name)), ...missing];
}

const absent: StoredValue = { type: 'Edm.String', json: 'null' };

/** Writes a value: times with seven digits, letters beyond ASCII as they are. Source: cosmos 2; cosmos 3. */
function writeValue({ type, json }: StoredValue): string {
  if (type === 'Edm.DateTime') return `"${padInstant(json.slice(1, -1))}"`;
  return json.includes('\\u') ? JSON.stringify(readJsonString(json)) : json;
}

function member(name: string, value: string): string {
  return `"${name}":${JSON.stringify(value)}`;
}

function keyText(values: ReadonlyMap<string, StoredValue>, name: string): string {
  return readJsonString(values.get(name)?.json ?? '""');
}

/** Number of digits after the second. Source: cosmos 3. */
const digits = 7;

/** Returns a canonical time with exactly seven digits after the second. Source: cosmos 3. */
function padInstant(instant: string): string {
  const [whole = '', fraction = ''] = instant.slice(0, -1).split('.');
  return `${whole}.${fraction.padEnd(digits, '0')}Z`;
}

/** From 1601, where FILETIME begins, to 1970. Unit: milliseconds. */
const epochMs = 11_644_473_600_000n;

/** Returns FILETIME in hex digits as a time with seven digits. */
export function instantOf(filetime: string): string {
  const ticks = BigInt(`0x${filetime}`);
  const second = new Date(Number(ticks / 10_000_000n) * 1000 - Number(epochMs)).toISOString().slice(0, -5);
  return `${second}.${String(ticks % 10_000_000n).padStart(digits, '0')}Z`;
}

/**
 * Returns the path of an entity relative to the base. Quotes in keys are doubled. Only characters that no URI may contain are
 * encoded: `@` stays as it is. Source: cosmos 1.
 */
function entityPath(table: string, partitionKey: string, rowKey: string): string {
  return `${encodeForUri(table)}(PartitionKey='${escapeText(partitionKey)}',RowKey='${escapeText(rowKey)}')`;
}

/** Returns the URL of an entity. */
export function entityUrl({ partitionKey, rowKey }: EntityKey, { base, table }: EntityLinks): string {
  return `${base}/${entityPath(table, partitionKey, rowKey)}`;
}

/** Returns the path of a table relative to the base. */
export function tablePath(name: string): string {
  return `Tables('${escapeText(name)}')`;
}

/** Writes a text as it stands between quotes. */
function escapeText(text: string): string {
  return encodeForUri(text.replaceAll("'", "''"));
}

/** Encodes what a URI may not contain. A lone surrogate has no UTF-8 form. */
function encodeForUri(text: string): string {
  return encodeURI(text.toWellFormed());
}
