import type { EntityKey } from '../../entity/stored/entity.js';
import type { AccessPolicy } from '../../protocol/access/access-policy.js';
import type { CopyWish } from '../contract.js';
import type { Row } from '../rows/row.js';

/** The place to continue a read: after a key, with a token of the service, or after a number of rows. */
export type Position = EntityKey | { readonly token: string } | { readonly skip: number };

/** A part of a table. */
export interface Range {
  /** Its first key. Absent: from the first entity. */
  readonly from?: EntityKey | undefined;
  /** How far it was read. Absent: not at all. */
  readonly after?: Position | undefined;
  /** The first key after it. Absent: to the last entity. */
  readonly before?: EntityKey | undefined;
}

/** Entities of a table, and the place of the next ones. */
export interface Page {
  readonly rows: readonly Row[];
  /** Absent: a read cannot continue here. */
  readonly position?: Position | undefined;
  /** The part of the table up to its end, from 0 to 1, if it is known. */
  readonly fraction?: number | undefined;
  /** Rows that cannot be read. Their keys are empty. */
  readonly unreadable?: readonly FailedRow[];
}

/** A table of a source. */
export interface SourceTable {
  readonly name: string;
  /** Absent: not known, for example because a signature may not read them. */
  readonly policies?: readonly AccessPolicy[] | undefined;
}

/** The entities and properties to read. */
export type ReadWish = Pick<CopyWish, 'filter' | 'select'>;

/** An end that entities come from. */
export interface Source {
  /** Whether it is of files: a table may have a key twice, so the order of its rows counts, and nothing is selected. */
  readonly isOfFiles: boolean;
  tables(): Promise<readonly SourceTable[]>;
  /** Reads a range in pages. Errors: CopyFault. */
  pages(table: string, range: Range, wish: ReadWish): AsyncGenerator<Page>;
  /** Returns a key that halves the rest of a range, if there is one. Absent: its tables cannot be read in ranges. */
  readonly split?:
    | ((table: string, after: EntityKey, before?: EntityKey) => Promise<EntityKey | undefined>)
    | undefined;
  /** Returns the service properties as XML. Absent: it has none. */
  settings?(): Promise<string>;
  close?(): Promise<void>;
}

/** A row that the target rejects. */
export interface FailedRow {
  readonly row: Row;
  readonly code: string;
  readonly message: string;
}

/** The result of a write. */
export interface WriteResult {
  written: number;
  /** Rows that existed with the same values. */
  same: number;
  /** Rows that existed and stayed. */
  readonly skipped: Row[];
  readonly failed: FailedRow[];
  /** The place at which files continue. */
  readonly mark?: number;
}

/** Returns a result without rows. */
export function emptyResult(): WriteResult {
  return { written: 0, same: 0, skipped: [], failed: [] };
}

/** A table of a target that is ready for writes. */
export interface OpenedTable {
  readonly wasEmpty: boolean;
  /** Its first mark. */
  readonly mark?: number;
  /** A part of the table that cannot be written, for the report. */
  readonly note?: string;
}

/** An end that entities go to. */
export interface Target {
  /** Whether rows of a table must come in order, from one reader. */
  readonly isOrdered: boolean;
  /** Checks that the tables can be written. Absent: nothing to check. */
  prepare?(tables: readonly string[], continues: boolean): Promise<void>;
  /** Prepares a table. `mark` is that of an interrupted copy. */
  open(table: SourceTable, mark?: number): Promise<OpenedTable>;
  /** Writes rows. Errors: CopyFault. */
  write(table: string, rows: readonly Row[], mode: CopyWish['mode']): Promise<WriteResult>;
  /** Completes everything. Absent: nothing is left to do after the tables. */
  complete?(): Promise<void>;
  /** Returns a source that reads a table. */
  reader(table: string): Promise<Source>;
  /** Replaces the service properties. Absent: it has none. */
  writeSettings?(xml: string): Promise<void>;
  close?(): Promise<void>;
}

/** Why a copy cannot be done. The message has no secrets. */
export class CopyFault extends Error {
  override readonly name = 'CopyFault';
}

/** Returns whether a key is at or after another. */
export function isAtLeast(key: EntityKey, other: EntityKey): boolean {
  return (
    key.partitionKey > other.partitionKey || (key.partitionKey === other.partitionKey && key.rowKey >= other.rowKey)
  );
}
