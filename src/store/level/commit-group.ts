import type { RecordChange } from './engine.js';

/** Changes that are written together. */
export interface CommitGroup {
  readonly changes: RecordChange[];
  /**
   * The newest change of each record. Each batch has a map of its own: one for all that is never empty keeps its old tables, and
   * what they hold, until a full collection.
   */
  readonly newest: Map<string, RecordChange>;
  /** How many calls of `add` it has. */
  writers: number;
  /** Whether the log may take it. */
  mayLog: boolean;
  /** The length of its texts. Unit: UTF-16 code units. */
  units: number;
  /** Called in order when the batch is written, before its writers are told. */
  readonly effects: (() => void)[];
  readonly written: Promise<void>;
  readonly settle: (error?: unknown) => void;
}

/** Returns a group without changes. */
export function startGroup(): CommitGroup {
  let settle: CommitGroup['settle'] = () => {};
  const written = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error));
  });
  // Each writer handles the failure itself. Without this, a group that has no writers would end the process.
  written.catch(() => {});
  return { changes: [], newest: new Map(), writers: 0, mayLog: true, units: 0, effects: [], written, settle };
}

/** Returns the length of the texts of changes. Unit: UTF-16 code units. */
export function unitsOf(changes: readonly RecordChange[]): number {
  let units = 0;
  for (const { key, value } of changes) units += key.length + (value?.length ?? 0);
  return units;
}
