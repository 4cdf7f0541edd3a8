import type { FaultEffect, FaultKind } from './contract.js';
import type { Effect } from './effect.js';
import { answerError, timeOut } from './effects/answer-errors.js';
import { checkLatency, delay, heldMsMax, type LatencyFields } from './effects/latency.js';
import { type FieldReaders, flag, hint, InvalidRule, number, oneOf, readObject, wholeNumber } from './read-value.js';

/** A kind of fault with its parameters checked, and what it does. */
export interface ReadEffect {
  readonly fault: FaultEffect;
  readonly effect: Effect;
}

/** One kind: reads the parameters of a rule. Errors: InvalidRule. */
type KindReader = (parameters: object) => ReadEffect;

const ms = number(0, heldMsMax);

const latencyReaders: FieldReaders<LatencyFields> = {
  ...{ fixed: ms, min: ms, max: ms, median: ms },
  sigma: number(0, 10),
  when: oneOf('before', 'after'),
};

/** Every kind of fault. */
const kinds: { readonly [Kind in FaultKind]: KindReader } = {
  serverBusy(parameters) {
    const { retryAfter } = readObject(parameters, 'fault', { retryAfter: wholeNumber(0, 3600) });
    const fault = { kind: 'serverBusy', ...(retryAfter !== undefined && { retryAfter }) } as const;
    return { fault, effect: answerError('ServerBusy', retryAfter) };
  },
  operationTimedOut(parameters) {
    const { applied = false } = readObject(parameters, 'fault', { applied: flag });
    return { fault: { kind: 'operationTimedOut', applied }, effect: timeOut(applied) };
  },
  internalError(parameters) {
    readObject(parameters, 'fault', {});
    return { fault: { kind: 'internalError' }, effect: answerError('InternalError') };
  },
  tableBeingDeleted(parameters) {
    readObject(parameters, 'fault', {});
    return { fault: { kind: 'tableBeingDeleted' }, effect: answerError('TableBeingDeleted') };
  },
  latency(parameters) {
    const fault = checkLatency(readObject(parameters, 'fault', latencyReaders));
    return { fault, effect: delay(fault) };
  },
};

/** The names of all kinds. */
export const faultKinds: readonly string[] = Object.keys(kinds);

const readers = new Map<string, KindReader>(Object.entries(kinds));

/** Reads what a rule does: a kind, or an object of a kind and its parameters. Errors: InvalidRule. */
export function readEffect(value: unknown): ReadEffect {
  if (value === undefined) throw new InvalidRule(`The rule needs fault: what it does. ${hint('', faultKinds)}`);
  const isObject = typeof value === 'object' && value !== null;
  const { kind, ...parameters } = isObject ? { kind: undefined, ...value } : { kind: value };
  const reader = typeof kind === 'string' ? readers.get(kind) : undefined;
  if (reader) return reader(parameters);
  const path = isObject ? 'fault.kind' : 'fault';
  throw new InvalidRule(
    `${path} cannot be ${String(JSON.stringify(kind)).slice(0, 60)}. ${hint(String(kind), faultKinds)}`,
  );
}
