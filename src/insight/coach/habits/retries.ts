import { ownText } from '../../../remembered.js';
import { thresholds } from '../../rules/thresholds.js';
import type { Finding } from '../finding.js';
import type { Attempt } from '../observation.js';
import { NotedFindings } from './noted-findings.js';

/** How many failed requests are followed, and how long. (Our choice: the pauses of the SDKs end at 64 s.) */
const failedMax = 256;
const followedMs = 70_000;

/** Longest name that is kept of a request. Unit: UTF-16 code units. (Our choice.) */
const nameUnitsMax = 2048;

/** A request that failed, and how its last repetitions came. */
interface Failed {
  readonly at: number;
  readonly pauseMs: number;
  /** How many pauses in a row were as long as the last one. */
  readonly samePauses: number;
}

/** Follows requests that were answered with 500 or 503 until their repetition. */
export class Retries {
  readonly #failed = new Map<string, Failed>();
  readonly #noted = new NotedFindings();
  #lastFailure = Number.NEGATIVE_INFINITY;

  /** Whether a request may be the repetition of one that failed. Without failures, requests need not be observed. */
  get isWaiting(): boolean {
    return this.#failed.size > 0;
  }

  observe(attempt: Attempt): void {
    const { at, status } = attempt;
    const name = ownText(attempt.name.slice(0, nameUnitsMax));
    if (at - this.#lastFailure > followedMs) this.#failed.clear();
    const before = this.#failed.get(name);
    this.#failed.delete(name);
    const pauseMs = before ? Math.max(0, attempt.startedAt - before.at) : 0;
    const isSame = before !== undefined && before.pauseMs > 0 && Math.abs(pauseMs - before.pauseMs) <= pauseMs / 10;
    const samePauses = isSame ? before.samePauses + 1 : 1;
    if (before && (pauseMs < thresholds.retryMs || samePauses >= thresholds.sameRetryPauses)) {
      this.#noted.note(
        { name: 'hasty-retry', severity: 'warn', shape: 'a repetition after 500 or 503', calls: 1 },
        attempt,
      );
    }
    if (status !== 500 && status !== 503) return;
    this.#lastFailure = at;
    const [oldest] = this.#failed.keys();
    if (this.#failed.size >= failedMax && oldest !== undefined) this.#failed.delete(oldest);
    this.#failed.set(name, { at, pauseMs, samePauses });
  }

  findings(): readonly Finding[] {
    return this.#noted.findings();
  }

  clear(): void {
    this.#failed.clear();
    this.#noted.clear();
  }
}
