import { readDuration } from '../../duration.js';
import type { Change } from '../../entity/stored/change.js';
import { didYouMean } from '../../nearest-name.js';
import { type TableErrorCode, tableErrorCodes } from '../../protocol/error-codes.js';
import { TableError } from '../../protocol/errors.js';
import { pageRowsMax } from '../../protocol/limits.js';
import { choice, count, flag, number, optional } from '../../schema.js';
import type { Sink } from '../../service/gate.js';
import type { FaultEffect, FaultKind } from '../contract.js';
import { checkFields, InvalidRule, length } from '../rules/invalid-rule.js';
import { cutConnection, cutLetters } from './connection.js';
import type { Effect } from './effect.js';
import { delay, heldMsMax, moment, readLatency } from './latency.js';
import { emptyPages, inKeyOrder, pagesOfWholePartitions, partitionPages, shapePages, shortPages } from './pages.js';
import { requestUnits, throttle } from './throttle.js';
import type { Waits } from './waits.js';
import { wrapTable } from './wrap-table.js';

/** A checked fault and its effect. */
export interface ReadEffect {
  readonly fault: FaultEffect;
  readonly effect: Effect;
}

/** Reads the parameters of a kind. Errors: InvalidRule. */
type KindReader = (parameters: object) => ReadEffect;

/** Default of `retryAfterMs` for TooManyRequests. Unit: milliseconds. (Our choice.) */
const usualRetryMs = 100;

const errorFields = {
  code: choice('code', tableErrorCodes, { wanted: 'the code of an error', example: 'ServerBusy' }),
  applied: optional(flag('whether the operation is run')),
  retryAfter: optional(count('seconds', 0, 3600)),
  retryAfterMs: optional(count('milliseconds', 0, heldMsMax)),
};

const rate = optional(number('rate', 0.001, 1e9));

const throttleFields = { partition: rate, account: rate, requestUnits: rate, burst: optional(length) };

const connectionFields = {
  cut: optional(choice('way to break it', cutLetters)),
  when: optional(moment),
  bytesPerSecond: optional(count('rate', 1)),
};

const pageFields = {
  ends: choice('where pages end', ['rows', 'empty', 'partition', 'token'], { example: 'partition' }),
  rows: optional(count('rows', 1, pageRowsMax)),
  every: optional(count('pages', 2)),
};

const kinds: { readonly [Kind in FaultKind]: KindReader } = {
  error(parameters) {
    const { retryAfterMs, ...error } = checkFields(errorFields, parameters, 'fault');
    const waitMs = retryAfterMs ?? (error.code === 'TooManyRequests' ? usualRetryMs : undefined);
    const fault = { kind: 'error', ...error, ...(waitMs !== undefined && { retryAfterMs: waitMs }) } as const;
    return { fault, effect: answerError(fault) };
  },
  latency(parameters) {
    const fault = readLatency(parameters);
    return { fault, effect: delay(fault) };
  },
  throttle(parameters) {
    const { requestUnits: units, burst = '1s', ...rates } = checkFields(throttleFields, parameters, 'fault');
    const burstSeconds = (readDuration(burst) ?? 0) / 1000;
    if (units === undefined) {
      // Source: data-model 8.
      const fault = { kind: 'throttle', partition: 2000, account: 20_000, ...rates, burst } as const;
      return { fault, effect: throttle({ ...fault, burstSeconds }) };
    }
    if (Object.keys(rates).length > 0) throw new InvalidRule('fault.requestUnits excludes partition and account.');
    return { fault: { kind: 'throttle', requestUnits: units, burst }, effect: requestUnits(units, burstSeconds) };
  },
  connection(parameters) {
    const { cut, when, bytesPerSecond } = checkFields(connectionFields, parameters, 'fault');
    if (bytesPerSecond !== undefined) {
      if (cut !== undefined || when !== undefined) throw new InvalidRule('fault.bytesPerSecond excludes cut and when.');
      return { fault: { kind: 'connection', bytesPerSecond }, effect: slowBody(bytesPerSecond) };
    }
    if (cut === undefined) throw new InvalidRule(`fault needs bytesPerSecond, or cut: ${cutLetters.join(', ')}.`);
    if (when === 'before' && cut.startsWith('p')) throw new InvalidRule(`fault.when cannot be before for ${cut}.`);
    const side = when ?? (cut.startsWith('p') ? 'after' : 'before');
    return { fault: { kind: 'connection', cut, when: side }, effect: cutConnection(cut, side) };
  },
  page(parameters) {
    const { ends, rows, every } = checkFields(pageFields, parameters, 'fault');
    if (rows !== undefined && ends !== 'rows') throw new InvalidRule(`fault.rows needs ends=rows, not ${ends}.`);
    if (every !== undefined && ends !== 'empty') throw new InvalidRule(`fault.every needs ends=empty, not ${ends}.`);
    if (ends === 'rows') {
      if (rows === undefined) throw new InvalidRule('fault needs rows.');
      return { fault: { kind: 'page', ends, rows }, effect: shapePages(shortPages(rows)) };
    }
    if (ends === 'empty') {
      const fault = { kind: 'page', ends, every: every ?? 2 } as const;
      return { fault, effect: shapePages(inKeyOrder(emptyPages(fault.every))) };
    }
    const shape = ends === 'token' ? pagesOfWholePartitions : partitionPages;
    return { fault: { kind: 'page', ends }, effect: shapePages(inKeyOrder(shape)) };
  },
  rivalWrite(parameters) {
    checkFields({}, parameters, 'fault');
    return { fault: { kind: 'rivalWrite' }, effect: rivalWrite };
  },
};

const faultKinds = Object.keys(kinds) as readonly FaultKind[];

/** Reads the fault of a rule: a kind, an error code, or an object with a kind and its parameters. Errors: InvalidRule. */
export function readEffect(value: unknown): ReadEffect {
  const code = tableErrorCodes.find((one) => one === value);
  if (code !== undefined) return readEffect({ kind: 'error', code });
  const isObject = typeof value === 'object' && value !== null;
  const { kind, ...parameters } = isObject ? { kind: undefined, ...value } : { kind: value };
  const known = faultKinds.find((one) => one === kind);
  if (known !== undefined) return kinds[known](parameters);
  const all = `Known: ${faultKinds.join(', ')}, ServerBusy and other codes.`;
  if (typeof kind !== 'string') throw new InvalidRule(`The rule needs a fault. ${all}`);
  const hint = didYouMean(kind, [...faultKinds, ...tableErrorCodes], all);
  throw new InvalidRule(`There is no fault '${kind.slice(0, 60)}'. ${hint}`);
}

interface InjectedError {
  readonly code: TableErrorCode;
  /** Whether the operation is run before the error, so that the client cannot tell. Default: false. */
  readonly applied?: boolean;
  /** The header Retry-After. Unit: seconds. */
  readonly retryAfter?: number;
  /** The header x-ms-retry-after-ms. Unit: milliseconds. */
  readonly retryAfterMs?: number;
}

/** Returns the effect of answering with an error. With `applied`, a failed operation answers with its own error. */
function answerError({ code, applied = false, retryAfter, retryAfterMs }: InjectedError): Effect {
  const headers = [
    ...(retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)]),
    ...(retryAfterMs === undefined ? [] : ['x-ms-retry-after-ms', String(retryAfterMs)]),
  ];
  return async ({ hit, marks, evidence }, run) => {
    if (!hit()) return run();
    if (applied) {
      const done = await run();
      if (done.answer.kind === 'failed-transaction') return done;
    }
    if (headers.length > 0) marks.headers = headers;
    const effect = applied ? 'The operation was applied before the error.' : 'The operation was not applied.';
    throw new TableError(code, { evidence: evidence(effect) });
  };
}

/**
 * A faster rival: touches each entity that the request names with an ETag, so that its Timestamp and ETag change and the request
 * fails its check. Requests without such an ETag are neither changed nor counted.
 */
const rivalWrite: Effect = ({ account, store, hit, addressed }, run) =>
  run((table) =>
    wrapTable(table, {
      async commit(changes, writer) {
        const conditional = changes.filter(hasEtag);
        if (conditional.length > 0 && hit()) {
          // A separate handle, so that the change journal does not credit the request with the rival's write.
          const rival = store.openTable(account, addressed().table ?? '');
          for (const { key } of conditional) {
            // The rival creates no missing entity: its write is rejected, and then the request's write is, too.
            await rival.commit([{ kind: 'merge', key, properties: [], ifMatch: '*' }]);
          }
        }
        return table.commit(changes, writer);
      },
    }),
  );

function hasEtag(change: Change): boolean {
  return change.kind !== 'insert' && change.ifMatch !== undefined && change.ifMatch !== '*';
}

/** Time between two parts of a slow body. Unit: milliseconds. */
const stepMs = 100;

function slowBody(bytesPerSecond: number): Effect {
  return async ({ hit, marks, waits }, run) => {
    if (hit()) {
      marks.delivery = (sink, body) => {
        // The client may leave first.
        trickle(sink, body, bytesPerSecond, waits).catch(() => {});
      };
    }
    return run();
  };
}

async function trickle(sink: Sink, body: Uint8Array, bytesPerSecond: number, waits: Waits): Promise<void> {
  const stepBytes = Math.max(1, Math.floor((bytesPerSecond * stepMs) / 1000));
  const pauseMs = (stepBytes * 1000) / bytesPerSecond;
  sink.flushHead();
  for (let at = 0; at < body.length; ) {
    const isReleased = (await waits.wait(pauseMs, sink)) === 'released';
    const end = isReleased ? body.length : at + stepBytes;
    sink.write(body.subarray(at, end));
    at = end;
  }
  sink.end();
}
