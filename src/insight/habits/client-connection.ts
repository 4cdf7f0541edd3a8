/**
 * One connection of a client, with what it did last. Requests of one connection come one after the other, so a connection
 * stands for a client. Only `ConnectionSteps` changes it.
 */
export class ClientConnection {
  /** A run of the same kind of operation in one partition, each on another entity than the one before. */
  kind: 'read' | 'write' | undefined = undefined;
  table = '';
  partitionKey = '';
  rowKey = '';
  /** When the run began. Milliseconds since 1970. */
  since = 0;
  count = 0;
  /** The first and the last RowKey of the run in their order. */
  lowest = '';
  highest = '';
  /** When an entity was read last. */
  readAt = Number.NEGATIVE_INFINITY;
  /** The last query, if it read one partition. `read` is the number of entities. */
  queried: { readonly table: string; readonly partitionKey: string; readonly read: number } | undefined = undefined;
}
