import type { DirectoryWriter } from './directory-writer.js';
import type { CommitResult } from './group-writer.js';
import type { AskedCommit } from './judge-group.js';
import type { LookUps } from './look-ups.js';
import type { OrderOfArrival } from './order-of-arrival.js';
import type { Scans } from './scans.js';

/** The parts of an open store that its tables use. */
export interface PostgresParts {
  readonly lookUps: LookUps;
  readonly scans: Scans;
  readonly order: OrderOfArrival;
  readonly directory: DirectoryWriter;
  /** Commits changes in their turn. */
  commit(commit: AskedCommit): Promise<CommitResult>;
}
