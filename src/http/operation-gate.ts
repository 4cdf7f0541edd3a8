import type { RequestRecord } from './request-record.js';
import type { ServiceAnswer } from './service-answer.js';

/**
 * A function around every operation. `run` carries out the operation; a gate calls it once or not at all. A gate may wait,
 * throw a TableError instead of answering, or return another answer.
 *
 * This is the seam for fault injection. Rights that are asked before the headers are read were asked before the gate runs;
 * `run` asks the others. A service without a gate pays one comparison.
 */
export type OperationGate = (request: RequestRecord, run: () => Promise<ServiceAnswer>) => Promise<ServiceAnswer>;
