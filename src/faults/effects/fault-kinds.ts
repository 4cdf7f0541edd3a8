import { readDuration } from '../../duration.js';
import { pageRowsMax } from '../../protocol/limits.js';
import type { FaultEffect, FaultKind } from '../contract.js';
import {
  duration,
  type FieldReaders,
  flag,
  hint,
  InvalidRule,
  number,
  oneOf,
  readObject,
  unknownWord,
  wholeNumber,
} from '../rules/read-value.js';
import { answerError, timeOut } from './answer-errors.js';
import { cutConnection, cutLetters } from './connection.js';
import type { Effect } from './effect.js';
import { checkLatency, delay, heldMsMax, type LatencyFields } from './latency.js';
import { emptyPages, inKeyOrder, pagesOfWholePartitions, partitionPages, shapePages, shortPages } from './pages.js';
import { requestUnits, tooManyRequests } from './request-units.js';
import { rivalWrite } from './rival-write.js';
import { slowBody } from './slow-body.js';
import { throttle } from './throttle.js';

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
  internalError: (parameters) => plain(parameters, { kind: 'internalError' }, answerError('InternalError')),
  tableBeingDeleted: (parameters) => plain(parameters, { kind: 'tableBeingDeleted' }, answerError('TableBeingDeleted')),
  latency(parameters) {
    const fault = checkLatency(readObject(parameters, 'fault', latencyReaders));
    return { fault, effect: delay(fault) };
  },
  throttle(parameters) {
    const rate = number(0.001, 1e9);
    const read = readObject(parameters, 'fault', { partition: rate, account: rate, burst: duration });
    // Source: data-model 8.
    const fault = { kind: 'throttle', partition: 2000, account: 20_000, burst: '1s', ...read } as const;
    return { fault, effect: throttle({ ...fault, burstSeconds: (readDuration(fault.burst) ?? 0) / 1000 }) };
  },
  tooManyRequests(parameters) {
    const { retryAfterMs = 100 } = readObject(parameters, 'fault', { retryAfterMs: wholeNumber(0, heldMsMax) });
    return { fault: { kind: 'tooManyRequests', retryAfterMs }, effect: tooManyRequests(retryAfterMs) };
  },
  requestUnits(parameters) {
    const read = readObject(parameters, 'fault', { perSecond: number(0.001, 1e9), burst: duration });
    const fault = { kind: 'requestUnits', perSecond: 400, burst: '1s', ...read } as const;
    return { fault, effect: requestUnits(fault.perSecond, (readDuration(fault.burst) ?? 0) / 1000) };
  },
  connection(parameters) {
    const readers = { cut: oneOf(...cutLetters), when: oneOf('before', 'after') };
    const { cut, when } = readObject(parameters, 'fault', readers);
    if (cut === undefined) throw new InvalidRule(`fault needs cut. ${hint('', cutLetters)}`);
    if (when === 'before' && cut.startsWith('p')) throw new InvalidRule(`fault.when cannot be before for ${cut}.`);
    const moment = when ?? (cut.startsWith('p') ? 'after' : 'before');
    return { fault: { kind: 'connection', cut, when: moment }, effect: cutConnection(cut, moment) };
  },
  slowBody(parameters) {
    const { bytesPerSecond } = readObject(parameters, 'fault', { bytesPerSecond: wholeNumber(1) });
    if (bytesPerSecond === undefined) throw new InvalidRule('fault needs bytesPerSecond.');
    return { fault: { kind: 'slowBody', bytesPerSecond }, effect: slowBody(bytesPerSecond) };
  },
  shortPage(parameters) {
    const { rows } = readObject(parameters, 'fault', { rows: wholeNumber(1, pageRowsMax) });
    if (rows === undefined) throw new InvalidRule('fault needs rows.');
    return { fault: { kind: 'shortPage', rows }, effect: shapePages(shortPages(rows)) };
  },
  emptyPage(parameters) {
    const { every = 2 } = readObject(parameters, 'fault', { every: wholeNumber(2) });
    return { fault: { kind: 'emptyPage', every }, effect: shapePages(inKeyOrder(emptyPages(every))) };
  },
  partitionOnlyToken: (parameters) =>
    plain(parameters, { kind: 'partitionOnlyToken' }, shapePages(inKeyOrder(pagesOfWholePartitions))),
  partitionBoundary: (parameters) =>
    plain(parameters, { kind: 'partitionBoundary' }, shapePages(inKeyOrder(partitionPages))),
  rivalWrite: (parameters) => plain(parameters, { kind: 'rivalWrite' }, rivalWrite),
};

/** Reads a kind without parameters. */
function plain(parameters: object, fault: FaultEffect, effect: Effect): ReadEffect {
  readObject(parameters, 'fault', {});
  return { fault, effect };
}

/** The names of all kinds. */
export const faultKinds: readonly string[] = Object.keys(kinds);

const readers: ReadonlyMap<string, KindReader> = new Map(Object.entries(kinds));

/** Reads what a rule does: a kind, or an object of a kind and its parameters. Errors: InvalidRule. */
export function readEffect(value: unknown): ReadEffect {
  if (value === undefined) throw new InvalidRule(`The rule needs a fault. ${hint('', faultKinds)}`);
  const isObject = typeof value === 'object' && value !== null;
  const { kind, ...parameters } = isObject ? { kind: undefined, ...value } : { kind: value };
  const reader = typeof kind === 'string' ? readers.get(kind) : undefined;
  if (reader) return reader(parameters);
  throw unknownWord(kind, isObject ? 'fault.kind' : 'fault', faultKinds);
}
