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
  /** Calls a function when the system has what was sent so far. */
  whenTaken(act: () => void): void;
  end(): void;
  /** Ends the connection after what was sent. */
  close(): void;
  destroy(): void;
  /**
   * Aborts the connection. The system of a client may discard what it has when the reset comes, if the client has not read it.
   * Source: RFC 9293, section 3.10.7.4.
   */
  abort(): void;
}

/**
 * Sends the body of an answer whose head is written, and ends the answer or the connection. `isChunked` tells whether the
 * body comes in chunks, so that it can end early and look whole.
 *
 * It may continue after it returns. It must end by itself, and must not throw.
 */
export type AnswerDelivery = (sink: Sink, body: Uint8Array, isChunked: boolean) => void;

/** What injected faults do to one request. It exists only for a request that passes an active gate, and only faults change it. */
export interface FaultMarks {
  /** The ids of the rules that acted, with commas between them. */
  rules: string | undefined;
  /** Headers that a rule adds to the answer: names and values in turn. */
  headers: readonly string[];
  /** Sends the answer in another way; undefined: it is sent whole and at once. */
  delivery: AnswerDelivery | undefined;
  /** What the operation did, also if a rule then answers in its place. */
  done: Done | undefined;
}

/** Returns the marks of a request on which no rule has acted yet. */
export function noMarks(): FaultMarks {
  return { rules: undefined, headers: [], delivery: undefined, done: undefined };
}

/** Puts something around the table of a request. */
export type TableWrap = (table: TableHandle) => TableHandle;

/** Carries out the operation of a request, on tables that are wrapped. Called once or not at all. */
export type RunOperation = (wrap?: TableWrap) => Promise<Done>;

/** A request at the gate: its sender is known, its headers are checked, its body is here. The operation has not run yet. */
export interface GatedRequest {
  readonly service: Service;
  readonly loaded: Loaded;
  readonly marks: FaultMarks;
}

/**
 * A gate around every operation: the seam for injected faults. It may wait, throw a TableError instead of answering, or return
 * another answer. Rights that are asked before the headers are read were asked before the gate; `run` asks the others.
 */
export interface OperationGate {
  /** Whether requests go through the gate now. While it is false, a request pays only for this question. */
  readonly isActive: boolean;
  pass(request: GatedRequest, run: RunOperation): Promise<Done>;
}
