import type { TableHandle } from '../store/store.js';
import type { AddressedEntities } from './addressed-entities.js';
import type { Exchange } from './exchange.js';
import type { ServiceAnswer } from './service-answer.js';

/** A request before its operation runs: its sender is known, its headers are checked, its body is read. */
export interface GatedRequest {
  readonly exchange: Exchange;
  /** Returns the table and the keys that it is about. It may parse the body for that. */
  addressed(): AddressedEntities;
}

/** Puts something around the table of a request. */
export type TableWrap = (table: TableHandle) => TableHandle;

/** Carries out the operation of a request, on tables that are wrapped. Called once or not at all. */
export type RunOperation = (wrap?: TableWrap) => Promise<ServiceAnswer>;

/**
 * A gate around every operation: the seam for injected faults. It may wait, throw a TableError instead of answering, or return
 * another answer. Rights that are asked before the headers are read were asked before the gate; `run` asks the others.
 */
export interface OperationGate {
  /** Whether requests go through the gate now. While it is false, a request pays only for this question. */
  readonly isActive: boolean;
  pass(request: GatedRequest, run: RunOperation): Promise<ServiceAnswer>;
}
