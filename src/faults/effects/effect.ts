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
  /** Returns the table and the keys that it is about. It may parse the body for that. */
  addressed(): AddressedEntities;
}

/** One request to which a rule applies. */
export interface Strike extends RuledRequest {
  readonly waits: Waits;
  readonly store: TableStore;
  /** Returns a number from 0, less than 1, that depends on the seed, the position of the request in the rule and `draw` alone. */
  random(draw: number): number;
  /** Counts the request as one that got the fault. Returns false if the rule has ended; then the effect does nothing. */
  hit(): boolean;
  /** Returns what explains an error that the rule causes. */
  evidence(effect: string): () => RejectionEvidence;
}

/** Does something to a request: answers in its place, waits, or changes what `run` answers. */
export type Effect = (strike: Strike, run: RunOperation) => Promise<Done>;
