import { choice, count, flag, name, object, optional, type Shape, text } from '../../../schema.js';

/** A change of an entity by a server. It has no values, only the key. */
export const WrittenChange = object('WrittenChange', 'A change of an entity, without its values.', {
  seq: count('Its position among the changes of the server, from 1.'),
  at: name('When it was written, in UTC.'),
  account: name('The account.'),
  table: name('The table, in the letter case of its creation.'),
  partitionKey: text('The PartitionKey.'),
  rowKey: text('The RowKey.'),
  kind: choice('The kind of change.', ['insert', 'replace', 'merge', 'delete']),
  isNew: optional(
    flag('Whether the entity did not exist before; absent for an Insert Or Replace, which does not look.'),
  ),
  etag: optional(name('The ETag that the entity got; absent for a deletion.')),
  requestId: optional(name('The x-ms-request-id of its request; absent for a change that no request asked for.')),
  clientRequestId: optional(text('The x-ms-client-request-id of its request.')),
  mark: optional(text('The mark before it, such as the name of a test.')),
});
export type WrittenChange = Shape<typeof WrittenChange>;
