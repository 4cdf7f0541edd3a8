import type { AbstractLevel } from 'abstract-level';

/** The engine under the store: LevelDB on disk, or its stand-in in memory. Keys and values are text. */
export type Engine = AbstractLevel<string | Buffer | Uint8Array, string, string>;

/** One change of a stored record: its new value, or null to remove it. */
export interface RecordChange {
  readonly key: string;
  readonly value: string | null;
}
