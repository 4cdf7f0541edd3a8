import { queryClassNames } from '../../insight/queries/query-classes.js';
import { operationNames } from '../../protocol/operation-names.js';
import { anyOf, choice, count, flag, formed, name, optional } from '../../schema.js';
import { table } from '../fields.js';

/** What selects requests of the journal. */
export const requestFields = {
  status: optional(
    anyOf(
      'Only this status, or this kind of status.',
      [count('A status.', 100, 599), formed('A status.', /^[1-5](?:\d\d|xx)$/, { wanted: 'a status' })],
      {
        value: 'STATUS',
        example: '4xx',
        wanted: 'a status, such as 404, or a kind of status, such as 4xx',
      },
    ),
  ),
  class: optional(choice('Only this class of query.', queryClassNames, { value: 'CLASS', example: 'table-scan' })),
  op: optional(
    formed('Only this operation.', new RegExp(`^(?:${operationNames.join('|').replaceAll(' ', ' ?')})$`, 'i'), {
      value: 'NAME',
      example: 'QueryEntities',
      wanted: `one of: ${operationNames.map((one) => one.replaceAll(' ', '')).join(', ')}`,
    }),
  ),
  table: optional(table('Only this table.')),
  client: optional(name('Only clients with this part of a User-Agent, or this address.', { value: 'TEXT' })),
  mark: optional(name('Only requests after a mark with this text, such as the name of a test.', { value: 'TEXT' })),
  text: optional(name('Only requests with this in path, query, error code or request ID.', { value: 'TEXT' })),
  explorer: optional(flag('Also the requests of the page for browsers.')),
  after: optional(count('Only requests after this position in the journal.')),
} as const;

/** What also bounds requests that are there already. */
export const boundFields = {
  before: optional(count('Only requests before this position in the journal.')),
  limit: optional(count('How many of the newest requests (default: 200).')),
} as const;
