/** A change of an entity that a server has written. It has no values, only the key. */
export interface WrittenChange {
  /** Position among the changes of the server, from 1. */
  readonly seq: number;
  /** When it was written: UTC text. */
  readonly at: string;
  readonly account: string;
  /** The name of the table, in the letter case of its creation. */
  readonly table: string;
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly kind: 'insert' | 'replace' | 'merge' | 'delete';
  /** The ETag that the entity got; absent for a deletion. */
  readonly etag?: string;
  /** The `x-ms-request-id` of the request that asked for it; absent for a change that no request asked for. */
  readonly requestId?: string;
  /** Its `x-ms-client-request-id`. */
  readonly clientRequestId?: string;
  /** The mark under which it was written, as the name of a test. */
  readonly mark?: string;
}

/** The changes of one table. */
export interface TableChanges {
  readonly account: string;
  readonly table: string;
  /** In the order of their commits. */
  readonly changes: readonly WrittenChange[];
}

/** Which changes are wanted. The names are those of `tabularium changes` and `/_tabularium/changes`. */
export interface ChangeSelection {
  /** Only changes after this place: a mark, or the position of a change. Absent: all that are kept. */
  readonly since?: string | number;
  /** Only changes up to this place. */
  readonly until?: string | number;
  readonly account?: string;
  /** In any letter case. */
  readonly table?: string;
}
