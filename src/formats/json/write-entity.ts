import type { EntityText } from '../../entity/stored/entity.js';
import { writeJsonString } from '../../entity/stored/json-text.js';
import { rowWriter } from '../../entity/stored/write-row.js';
import type { Select } from '../../query/select.js';
import type { JsonRepresentation } from '../representation.js';
import type { PageWriting } from '../write-rows.js';
import type { Body } from './page-buffer.js';
import { writePage } from './write-page.js';

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

/**
 * Writes the body of an answer with a page of entities.
 *
 * Errors: those of `writeRows`. Source: operations 6.
 */
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
