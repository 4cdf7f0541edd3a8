import type { AbstractLevel } from 'abstract-level';

/** LevelDB on disk, or an engine in memory with the same interface. Keys and values are text. */
export type Engine = AbstractLevel<string | Buffer | Uint8Array, string, string>;

/**
 * LevelDB's option for the maximum size that one call returns. Each call switches threads. The default of 16 KiB would
 * take a call for every 25 entities. Unit: bytes. Source: docs/benchmarks.md.
 */
export const chunkOptions: object = { highWaterMarkBytes: 1024 * 1024 };

/** The value of a deleted row that a layer below still has. No entity is empty. */
export const tombstone = '';

/** One change of a stored record: its new value, or null to delete it. */
export interface RecordChange {
  readonly key: string;
  readonly value: string | null;
}

/** Returns the row that readers find after a change: null if there is none. */
export function rowAfter({ value }: RecordChange): string | null {
  return value === tombstone ? null : value;
}
