import type { TableHandle } from '../store/store.js';
import type { Done } from './run.js';
import type { Service } from './service.js';
import type { Loaded } from './stages.js';

/** The way to the client of one request. The wire implements it. */
export interface Sink {
  readonly isGone: boolean;
  /** Calls a function when the client leaves. Returns a function that ends this. */
  onGone(act: () => void): () => void;
  /** Sends the head of the answer, which is written, before its body. */
  flushHead(): void;
  write(bytes: Uint8Array): void;
  /** Calls a function when the system has accepted all data sent so far. */
  whenTaken(act: () => void): void;
  end(): void;
  /** Ends the connection after the sent data. */
  close(): void;
  destroy(): void;
  /** Aborts the connection. On the reset, the system of a client may discard unread data. Source: RFC 9293, section 3.10.7.4. */
  abort(): void;
}

/**
 * Sends the body of an answer after its head, and ends the answer or the connection. `isChunked`: whether the body is chunked, so
 * that it can end early and look complete.
 *
 * It may continue after it returns, must end by itself, and must not throw.
 */
export type AnswerDelivery = (sink: Sink, body: Uint8Array, isChunked: boolean) => void;

/** The effects of injected faults on one request. Exists only for a request at an active gate; only faults change it. */
export interface FaultMarks {
  /** The ids of the rules that acted, separated by commas. */
  rules: string | undefined;
  /** Headers that a rule adds to the answer: names and values in turn. */
  headers: readonly string[];
  /** Sends the answer in another way; undefined: it is sent whole and at once. */
  delivery: AnswerDelivery | undefined;
  /** The result of the operation, even if a rule then answers in its place. */
  done: Done | undefined;
}

/** Returns the marks of a request on which no rule has acted yet. */
export function noMarks(): FaultMarks {
  return { rules: undefined, headers: [], delivery: undefined, done: undefined };
}

/** Wraps the table of a request. */
export type TableWrap = (table: TableHandle) => TableHandle;

/** Carries out the operation of a request on wrapped tables. Called once or not at all. */
export type RunOperation = (wrap?: TableWrap) => Promise<Done>;

/** A request at the gate: authenticated, with checked headers and a complete body. The operation has not run yet. */
export interface GatedRequest {
  readonly service: Service;
  readonly loaded: Loaded;
  readonly marks: FaultMarks;
}

/**
 * A gate around every operation: the hook for injected faults. It may wait, throw a TableError instead of answering, or return
 * another answer. Permission checks that precede the headers precede the gate; `run` performs the others.
 */
export interface OperationGate {
  /** Whether requests pass the gate now. While it is false, this check is the only cost. */
  readonly isActive: boolean;
  pass(request: GatedRequest, run: RunOperation): Promise<Done>;
}
