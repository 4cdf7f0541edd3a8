import type { Accounts } from '../auth/accounts.js';
import { explainRefusal, signatureCodes } from '../explain/explain-refusal.js';
import type { Explanation } from '../explain/explanation.js';
import { header, schemeOf } from '../http/exchange.js';
import type { RequestRecord } from '../http/request-record.js';
import { TableError } from '../protocol/errors.js';
import { boundExplanation } from './bound-explanation.js';

/**
 * How many requests a second have their signature examined. Ours: one takes about a millisecond, so a client that is
 * always refused costs the others at most a fiftieth of the processor.
 */
const examinedPerSecond = 20;

/** Explains refused requests of a server. */
export class Explainer {
  readonly #accounts: Accounts;
  readonly #now: () => number;
  #second = 0;
  #examined = 0;

  /** `now` is in milliseconds since 1970: the clock by which signatures are checked. */
  constructor(accounts: Accounts, now: () => number) {
    this.#accounts = accounts;
    this.#now = now;
  }

  /** Explains why a request was refused, or an operation of its transaction. */
  explain(record: RequestRecord): Explanation {
    const { request, account, refusal, failedPart } = record;
    const now = this.#now();
    const error = refusal ?? failedPart?.refusal ?? new TableError('InternalError');
    const explanation = explainRefusal(
      {
        error,
        method: request.method ?? '',
        target: request.url ?? '',
        host: request.headers.host ?? '',
        scheme: schemeOf(request),
        caller: request.socket.remoteAddress ?? '',
        account,
        operation: failedPart?.operation ?? record.operation,
        header: (name) => header(request, name),
      },
      signatureCodes.has(error.code) && this.#mayExamine(now) ? this.#accounts.list() : undefined,
      now,
    );
    const at = failedPart?.refusal.at;
    if (at === undefined) return boundExplanation(explanation);
    return boundExplanation({
      ...explanation,
      text: `Operation ${at} of the transaction, counted from 0: ${explanation.text}`,
    });
  }

  #mayExamine(now: number): boolean {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#examined = 0;
    }
    return this.#examined++ < examinedPerSecond;
  }
}
