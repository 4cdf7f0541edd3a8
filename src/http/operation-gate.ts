import type { Answer } from '../operations/operation.js';
import type { RequestRecord } from './request-record.js';

/**
 * Stands around every operation: before it runs, and after it has answered. It may wait, throw a TableError in place of
 * the answer, or pass another answer on. `run` carries the operation out; a gate calls it once or not at all.
 *
 * This is the seam for fault injection. Rights that are asked before the headers are read come first; the others are asked
 * by `run`. A service without a gate pays one comparison.
 */
export type OperationGate = (request: RequestRecord, run: () => Promise<Answer>) => Promise<Answer>;
