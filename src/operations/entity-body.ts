import type { EntityText } from '../entity/entity.js';
import { writeJsonString } from '../entity/json-text.js';
import { entityPath, keyOf, rowWriter } from '../entity/write-row.js';
import type { Select } from '../query/select.js';
import { linksOf, type OperationRequest } from './operation.js';

/** The `$select` list as context URLs repeat it: blanks stay encoded. Source: recordings-facts 2. */
export function selectContext(select: Select | undefined): string {
  return select ? `&$select=${select.text.replaceAll(' ', '%20')}` : '';
}

/** A single entity as an answer's body, at the negotiated level. Source: operations 6. */
export function writeEntityBody(request: OperationRequest, text: EntityText, select?: Select): string {
  const row = rowWriter(request.level, select?.names, linksOf(request))(text);
  if (request.level === 'nometadata') return row;
  const { table, base } = linksOf(request);
  const context = writeJsonString(`${base}/$metadata#${table}/@Element${selectContext(select)}`);
  return `{"odata.metadata":${context},${row.slice(1)}`;
}

/** Where an entity is found. */
export function entityUrl(request: OperationRequest, text: EntityText): string {
  const { base, table } = linksOf(request);
  return `${base}/${entityPath(table, keyOf(text, 'PartitionKey'), keyOf(text, 'RowKey'))}`;
}
