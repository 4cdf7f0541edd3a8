import type { TableErrorCode } from '../protocol/error-codes.js';

/** Selects the requests of a rule. Every condition must hold. */
export interface FaultCondition {
  readonly account?: string;
  /** In any letter case. */
  readonly table?: string;
  /**
   * Operations as the journal names them, as `InsertEntity`, or `insert`, `get`, `query`, `update`, `merge`, `upsert`, `delete`,
   * `transaction`, `read`, `write`. In any letter case.
   */
  readonly operation?: string | readonly string[];
  /** The partition of an entity that the request or its transaction names, or that its query stays within. */
  readonly partitionKey?: string;
  readonly partitionKeyPrefix?: string;
  readonly rowKey?: string;
  /** A header of the request. Without a value, it only has to be present. */
  readonly header?: { readonly name: string; readonly value?: string };
  /** A part of the User-Agent, in any letter case. */
  readonly userAgent?: string;
  /** Whether the header `x-tabularium-fault` of the request is the id of the rule. */
  readonly scoped?: boolean;
}

/** The effect of a rule on a request. */
export type FaultEffect =
  /**
   * An error of the service. The operation does not run, or with `applied` runs before the error. `retryAfter` is the header
   * `Retry-After`, in seconds; `retryAfterMs` is `x-ms-retry-after-ms`, by default 100 for TooManyRequests.
   */
  | {
      readonly kind: 'error';
      readonly code: TableErrorCode;
      readonly applied?: boolean;
      readonly retryAfter?: number;
      readonly retryAfterMs?: number;
    }
  /**
   * Waits `before` the operation (the default) or `after` it. Unit: milliseconds. The time is fixed, uniform between two bounds,
   * or lognormal.
   */
  | ({ readonly kind: 'latency'; readonly when?: 'before' | 'after' } & (
      | { readonly fixed: number }
      | { readonly min: number; readonly max: number }
      | { readonly median: number; readonly sigma: number }
    ))
  /**
   * 503 ServerBusy when a partition or an account has used up its rate. Unit: entities read or written per second.
   * Defaults: 2,000 and 20,000, in bursts of up to one second.
   */
  | { readonly kind: 'throttle'; readonly partition?: number; readonly account?: number; readonly burst?: string }
  /**
   * 429 TooManyRequests of Cosmos DB when an account has used up its request units. Unit: request units per second. Reading or
   * testing an entity costs 1, writing one 5.
   */
  | { readonly kind: 'throttle'; readonly requestUnits: number; readonly burst?: string }
  /**
   * Breaks the connection, in the letters of Azure's http-fault-injector: the head and half of the body (`p`) or nothing (`n`),
   * then silence, a closed (`c`) or aborted (`a`) connection, or the end of the answer (`pn`). `n`, `nc` and `na` act
   * `before` the operation (the default) or `after` it; the others after it.
   */
  | {
      readonly kind: 'connection';
      readonly cut: 'p' | 'pc' | 'pa' | 'pn' | 'n' | 'nc' | 'na';
      readonly when?: 'before' | 'after';
    }
  /** Sends the body of the answer slowly. */
  | { readonly kind: 'connection'; readonly bytesPerSecond: number }
  /**
   * Ends pages of entities early: after this many `rows`; without rows, on the first of `every` this many pages (default: 2);
   * where the next `partition` begins; or there with only `x-ms-continuation-NextPartitionKey` as its `token`.
   */
  | { readonly kind: 'page'; readonly ends: 'rows'; readonly rows: number }
  | { readonly kind: 'page'; readonly ends: 'empty'; readonly every?: number }
  | { readonly kind: 'page'; readonly ends: 'partition' | 'token' }
  /** Writes the entities that a request names with an ETag just before it does, so that it fails with 412. */
  | { readonly kind: 'rivalWrite' };

/** The name of a kind of fault. */
export type FaultKind = FaultEffect['kind'];

/** A fault for some requests. Without `times` and `for`, the rule ends after 60 seconds. */
export interface FaultRule {
  /** Letters, digits, dots, dashes and underscores. Replaces a rule with the same id. Default: `fault-1` and so on. */
  readonly id?: string;
  /** Absent: every request. */
  readonly when?: FaultCondition;
  /** A kind alone stands for the kind with its defaults, a code alone for that error. */
  readonly fault: FaultEffect | FaultKind | TableErrorCode;
  /** The share of the matching requests that get the fault, from 0 to 1. Default: 1. */
  readonly probability?: number;
  /** Seed for the choice of these requests and for varying latencies. Default: random. */
  readonly seed?: number;
  /** How many matching requests pass before the first fault. Default: 0. */
  readonly after?: number;
  /** How many requests get the fault before the rule ends. */
  readonly times?: number;
  /** How long the rule lasts, as `500ms`, `60s`, `5m`. */
  readonly for?: string;
}

/** A rule of a server, with its counts so far. */
export interface FaultSummary extends FaultRule {
  readonly id: string;
  readonly seed: number;
  /** How many requests met its conditions. */
  readonly matched: number;
  /** How many of them got the fault. */
  readonly hits: number;
  /** When it ends: UTC text. Absent for a rule that ends by `times`, or with the server. */
  readonly ends?: string;
  /** Whether it has ended. It is listed until 100 later rules have ended. */
  readonly ended: boolean;
}
