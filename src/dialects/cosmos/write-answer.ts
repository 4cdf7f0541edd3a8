import { type EntityKey, type EntityText, etagOf, writeEtag, writeMember } from '../../entity/stored/entity.js';
import { readJsonString } from '../../entity/stored/json-text.js';
import { readValues, type StoredValue } from '../../entity/stored/read-property.js';
import type { EntityLinks } from '../../entity/stored/write-row.js';
import type { Body } from '../../formats/json/page-buffer.js';
import type { JsonRepresentation, Prefer, Representation } from '../../formats/representation.js';
import { type PageWriting, writeRows } from '../../formats/write-rows.js';
import type { Answer } from '../../operations/answer.js';
import type { Select } from '../../query/select.js';
import type { RequestFacts, WrittenAnswer, WrittenHead } from '../dialect.js';
import { arrangeProperties } from './key-places.js';
import { tablePlace, writeEntityToken, writeTableToken } from './tokens.js';

/** An answer as Cosmos DB sends it: status, headers that only this answer has, and body. */
interface DescribedAnswer {
  readonly status: number;
  readonly body?: Body | Promise<Body>;
  readonly contentType?: string;
  readonly etag?: string;
  readonly location?: string;
  readonly preferenceApplied?: Prefer | undefined;
  /** Headers that lead to the next page, as flat pairs. */
  readonly continuation?: readonly string[] | undefined;
}

/** The type of an upsert that has no body. Source: cosmos 1. */
const emptyType = 'application/json';

/** Returns an answer as Cosmos DB sends it. Source: cosmos 1; cosmos 4; cosmos 5. */
export function describeAnswer(
  answer: Answer,
  representation: Representation,
  facts: Pick<RequestFacts, 'isGone' | 'pages'>,
): DescribedAnswer {
  const { prefer, links } = representation;
  const contentType = jsonType(representation.level);
  switch (answer.kind) {
    case 'entity': {
      const { text, select } = answer;
      return { status: 200, contentType, etag: etagOfRow(text), body: writeEntity(text, select, representation) };
    }
    case 'entity-inserted': {
      const { key, text } = answer;
      const headers = { etag: etagOfRow(text), location: entityUrl(key, links), preferenceApplied: prefer };
      if (prefer === 'return-no-content') return { status: 204, ...headers };
      return { status: 201, ...headers, contentType, body: writeEntity(text, undefined, representation) };
    }
    case 'entity-updated': {
      const type = answer.isUpsert ? { contentType: emptyType } : {};
      return { status: 204, etag: etagOfRow(answer.text), preferenceApplied: prefer, ...type };
    }
    case 'entities': {
      const { page, query } = answer;
      const body = writeEntityPage(page.rows, query.select, representation, facts);
      if (!page.next) return { status: 200, contentType, body };
      const token = writeEntityToken(page.next, page.rows.length, query.startAt !== undefined);
      const continuation = ['x-ms-continuation-NextPartitionKey', token, 'x-ms-continuation-NextRowKey', 'NA'];
      return { status: 200, contentType, body, continuation };
    }
    case 'table':
      return { status: 200, contentType, body: writeTable(answer.name, representation) };
    case 'table-created': {
      const location = `${links.base}/${tablePath(answer.name)}`;
      const headers = { etag: writeEtag(instantOf(answer.created)), location, preferenceApplied: prefer };
      if (prefer === 'return-no-content') return { status: 204, ...headers };
      return { status: 201, contentType, ...headers, body: writeTable(answer.name, representation) };
    }
    case 'tables': {
      const { tables, next } = answer;
      const names = tables.map(({ name }) => name);
      const body = writeTablePage(names, representation, facts);
      if (!next) return { status: 200, contentType, body };
      const token = writeTableToken(tablePlace(next.name), names.length);
      return { status: 200, contentType, body, continuation: ['x-ms-continuation-NextTableName', token] };
    }
    case 'entity-deleted':
    case 'table-deleted':
      return { status: 204 };
    default:
      throw new Error(`Cosmos DB has no answer of the kind ${answer.kind}`);
  }
}

/** Returns the `Content-Type` of JSON at a level. Source: cosmos 1. */
export function jsonType(level: Representation['level']): string {
  return `application/json;odata=${level === 'atom' ? 'minimalmetadata' : level}`;
}

/** Returns the headers of an answer; few are common to all. Source: cosmos 1; cosmos 10. */
export function answerHeaders(
  { requestId }: Pick<RequestFacts, 'requestId'>,
  { contentType, etag, location, preferenceApplied, continuation = [] }: Omit<DescribedAnswer, 'status'>,
): string[] {
  const headers: string[] = [];
  if (contentType !== undefined) headers.push('Content-Type', contentType);
  if (etag !== undefined) headers.push('ETag', etag);
  if (location !== undefined) headers.push('Location', location);
  if (preferenceApplied !== undefined) headers.push('Preference-Applied', preferenceApplied);
  headers.push(...continuation, 'x-ms-request-id', requestId);
  return headers;
}

/** The reason phrases that differ from the usual ones. Source: cosmos 1. */
const okReason = 'Ok';

/** Writes the answer of an operation. An empty one has a type and no length. Source: cosmos 1; cosmos 10. */
export function writeAnswer(answer: Answer, facts: RequestFacts): WrittenAnswer {
  const { body, ...described } = describeAnswer(answer, facts.representation, facts);
  const { status } = described;
  if (body === undefined) {
    const headers = answerHeaders(facts, { ...described, contentType: 'application/json' });
    return { status, headers, isBare: true };
  }
  const reason = status === 200 || answer.kind === 'table-created' ? { reason: okReason } : {};
  return { status, ...reason, headers: answerHeaders(facts, described), body };
}

/** Writes the head of the answer of a transaction. Source: cosmos 1. */
export function writeTransactionHead(contentType: string, facts: RequestFacts): WrittenHead {
  return { status: 202, headers: answerHeaders(facts, { contentType }) };
}

/** Writes the head of the answer to a preflight request. There is none: Cosmos DB has no CORS rules. Source: cosmos 13. */
export function writePreflightHead(facts: RequestFacts): WrittenHead {
  return { status: 200, headers: answerHeaders(facts, {}) };
}

/** Returns a representation as JSON. Cosmos DB has no Atom, so nothing else is negotiated. */
function asJson(form: Representation): JsonRepresentation {
  return form.level === 'atom' ? { ...form, level: 'minimalmetadata' } : form;
}

/** Writes the body of an answer with a single entity, whose metadata URL has the table twice. Source: cosmos 2. */
function writeEntity(text: EntityText, select: Select | undefined, form: Representation): string {
  const json = asJson(form);
  const { base, table } = json.links;
  return writeRow(text, { ...json, names: select?.names, context: `${base}/${table}/$metadata#${table}/@Element` });
}

/** Writes the body of an answer with a page of entities. Errors: those of `writeRows`. Source: cosmos 2. */
function writeEntityPage(
  rows: readonly EntityText[],
  select: Select | undefined,
  form: Representation,
  writing: PageWriting,
): Body | Promise<Body> {
  const rowForm = { ...asJson(form), names: select?.names };
  return writeList(rows, (row) => writeRow(row, rowForm), form, writing);
}

/** Writes the body of an answer with a single table. Source: cosmos 4. */
function writeTable(name: string, form: Representation): string {
  const row = writeTableRow(name, form);
  return form.level === 'nometadata' ? row : withContext(row, `${form.links.base}/$metadata#Tables/@Element`);
}

/** Writes the body of an answer with a page of tables. Errors: those of `writeRows`. Source: cosmos 4. */
function writeTablePage(names: readonly string[], form: Representation, writing: PageWriting): Body | Promise<Body> {
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
function etagOfRow(text: EntityText): string {
  return etagOf(text).replace(/'([^']*)'/, (_, instant: string) => `'${padInstant(instant)}'`);
}

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
function instantOf(filetime: string): string {
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

function entityUrl({ partitionKey, rowKey }: EntityKey, { base, table }: EntityLinks): string {
  return `${base}/${entityPath(table, partitionKey, rowKey)}`;
}

/** Returns the path of a table relative to the base. */
function tablePath(name: string): string {
  return `Tables('${escapeText(name)}')`;
}

/** Writes a text as it stands between quotes. */
function escapeText(text: string): string {
  return encodeForUri(text.replaceAll("'", "''"));
}

/** Encodes the characters that a URI may not contain. A lone surrogate has no UTF-8 form. */
function encodeForUri(text: string): string {
  return encodeURI(text.toWellFormed());
}
