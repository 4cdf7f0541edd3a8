import type { RefusalEvidence } from '../protocol/refusal-evidence.js';
import type { GatedRequest, RunOperation } from '../service/operation-gate.js';
import type { ServiceAnswer } from '../service/service-answer.js';
import type { TableStore } from '../store/store.js';
import type { Waits } from './waits.js';

/** One request to which a rule applies. */
export interface Strike extends GatedRequest {
  readonly waits: Waits;
  readonly store: TableStore;
  /** Returns a number from 0, less than 1, that depends on the seed, the position of the request in the rule and `draw` alone. */
  random(draw: number): number;
  /** Counts the request as one that got the fault. Returns false if the rule has ended; then the effect does nothing. */
  hit(): boolean;
  /** Returns what explains an error that the rule causes. */
  evidence(effect: string): () => RefusalEvidence;
}

/** Does something to a request: answers in its place, waits, or changes what `run` answers. */
export type Effect = (strike: Strike, run: RunOperation) => Promise<ServiceAnswer>;
