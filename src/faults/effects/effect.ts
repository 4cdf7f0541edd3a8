import type { OperationName } from '../../protocol/operation-names.js';
import type { RejectionEvidence } from '../../protocol/rejection-evidence.js';
import type { GatedRequest, RunOperation } from '../../service/gate.js';
import type { Done } from '../../service/run.js';
import type { Received } from '../../service/stages.js';
import type { TableStore } from '../../store/store.js';
import type { AddressedEntities } from '../addressed-entities.js';
import type { Waits } from './waits.js';

/** A request at the gate, as rules see it. */
export interface RuledRequest extends GatedRequest {
  readonly received: Received;
  readonly account: string;
  readonly operation: OperationName;
  /** Returns the table and the keys of the request. May parse the body. */
  addressed(): AddressedEntities;
}

/** A request that a rule applies to. */
export interface Strike extends RuledRequest {
  readonly waits: Waits;
  readonly store: TableStore;
  /** Returns a number from 0 to less than 1 that depends only on the seed, `draw` and the request's position in the rule. */
  random(draw: number): number;
  /** Counts a fault. Returns false if the rule has ended or the server stops; the effect then does nothing. */
  hit(): boolean;
  /** Returns a function that describes the rule as the cause of an error. */
  evidence(effect: string): () => RejectionEvidence;
}

/** Acts on a request: answers in its place, waits, or changes the answer of `run`. */
export type Effect = (strike: Strike, run: RunOperation) => Promise<Done>;
