import type { RecordChange } from '../engine/engine.js';

/** Changes that are written as one commit. */
export interface CommitGroup {
  readonly changes: RecordChange[];
  /** The newest value of each record, null if it is deleted. */
  readonly newest: Map<string, string | null>;
  /** How many calls of `add` it has. */
  writers: number;
  /** Called in order when the commit is written, before its writers are told. */
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
  return { changes: [], newest: new Map(), writers: 0, effects: [], written, settle };
}
