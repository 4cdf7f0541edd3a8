import type { EntityText } from '../../../entity/stored/entity.js';
import type { Body } from '../../../formats/json/page-buffer.js';
import type { JsonRepresentation, Representation } from '../../../formats/representation.js';
import type { PageWriting } from '../../../formats/write-rows.js';
import { writeRows } from '../../../formats/write-rows.js';
import type { Select } from '../../../query/select.js';
import { tablePath } from '../links.js';
import { writeRow } from './write-row.js';

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
