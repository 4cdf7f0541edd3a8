import type { LookUps } from './read/look-ups.js';
import type { Scans } from './read/scans.js';
import type { DirectoryWriter } from './write/directory-writer.js';
import type { CommitResult } from './write/group-writer.js';
import type { AskedCommit } from './write/judge-group.js';
import type { OrderOfArrival } from './write/order-of-arrival.js';

/** The parts of an open store that its tables use. */
export interface PostgresParts {
  readonly lookUps: LookUps;
  readonly scans: Scans;
  readonly order: OrderOfArrival;
  readonly directory: DirectoryWriter;
  /** Commits changes in their turn. */
  commit(commit: AskedCommit): Promise<CommitResult>;
}
