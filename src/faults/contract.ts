/** Which requests a rule is for. Every condition that is there must hold. */
export interface FaultCondition {
  readonly account?: string;
  /** In any letter case. */
  readonly table?: string;
  /**
   * Operations as the journal names them, as `InsertEntity`, or `insert`, `get`, `query`, `update`, `merge`, `upsert`, `delete`,
   * `transaction`, `read`, `write`. In any letter case.
   */
  readonly operation?: string | readonly string[];
  /** The request is about an entity of this partition: it names it, its transaction does, or its query stays within it. */
  readonly partitionKey?: string;
  readonly partitionKeyPrefix?: string;
  readonly rowKey?: string;
  /** A header of the request. Without a value, it only has to be there. */
  readonly header?: { readonly name: string; readonly value?: string };
  /** A part of the User-Agent, in any letter case. */
  readonly userAgent?: string;
  /** The request names the rule: its header `x-tabularium-fault` is the id of the rule. */
  readonly scoped?: boolean;
}

/** What a rule does to a request. */
export type FaultEffect =
  /** 503 ServerBusy. The operation is not run. `retryAfter` is the header of that name, in seconds. */
  | { readonly kind: 'serverBusy'; readonly retryAfter?: number }
  /** 500 OperationTimedOut, after the operation was done, or without it. */
  | { readonly kind: 'operationTimedOut'; readonly applied?: boolean }
  /** 500 InternalError. The operation is not run. */
  | { readonly kind: 'internalError' }
  /** 409 TableBeingDeleted. The operation is not run. */
  | { readonly kind: 'tableBeingDeleted' }
  /**
   * Waits before the operation. Unit: milliseconds. The time is fixed, or between two bounds, or lognormal. `when` says
   * whether it waits `before` the operation (the default) or `after` it.
   */
  | ({ readonly kind: 'latency'; readonly when?: 'before' | 'after' } & (
      | { readonly fixed: number }
      | { readonly min: number; readonly max: number }
      | { readonly median: number; readonly sigma: number }
    ))
  /**
   * 503 ServerBusy when a partition or an account has used up its rate. Unit: entities a second that are read or written.
   * Defaults: 2,000 and 20,000, of which those of one second may come at once.
   */
  | { readonly kind: 'throttle'; readonly partition?: number; readonly account?: number; readonly burst?: string }
  /** 429 TooManyRequests of Cosmos DB, with `x-ms-retry-after-ms`. Default: 100. */
  | { readonly kind: 'tooManyRequests'; readonly retryAfterMs?: number }
  /**
   * The same when an account has used up its request units: 1 for an entity that is read or tested, 5 for one that is written.
   * Defaults: 400 a second, of which those of one second may come at once.
   */
  | { readonly kind: 'requestUnits'; readonly perSecond?: number; readonly burst?: string }
  /**
   * Breaks the connection, by the letters of Azure's http-fault-injector: the head and half of the body (`p`) or nothing (`n`),
   * then silence, a closed (`c`) or aborted (`a`) connection, or the end of the answer (`pn`). `n`, `nc` and `na` do it
   * `before` the operation (the default) or `after` it; the others after it.
   */
  | {
      readonly kind: 'connection';
      readonly cut: 'p' | 'pc' | 'pa' | 'pn' | 'n' | 'nc' | 'na';
      readonly when?: 'before' | 'after';
    }
  /** Sends the body of the answer slowly. */
  | { readonly kind: 'slowBody'; readonly bytesPerSecond: number }
  /** Ends pages of entities after this many rows. */
  | { readonly kind: 'shortPage'; readonly rows: number }
  /** The first one of every so many pages of entities has no rows, and leads to the first match. Default: 2. */
  | { readonly kind: 'emptyPage'; readonly every?: number }
  /** Ends pages where a partition begins, with `x-ms-continuation-NextPartitionKey` alone. */
  | { readonly kind: 'partitionOnlyToken' }
  /** Ends pages where the next partition begins. */
  | { readonly kind: 'partitionBoundary' }
  /** Writes the entities that a request names with an ETag just before it does, so that it fails with 412. */
  | { readonly kind: 'rivalWrite' };

/** The name of a kind of fault. */
export type FaultKind = FaultEffect['kind'];

/** A rule: which requests get which fault, and when the rule ends. Without `times` and `for` it ends after 60 seconds. */
export interface FaultRule {
  /** Letters, digits, dots, dashes and underscores. A rule of the same id is replaced. Default: `fault-1` and so on. */
  readonly id?: string;
  /** Absent: every request. */
  readonly when?: FaultCondition;
  /** A kind alone stands for the kind with its defaults. */
  readonly fault: FaultEffect | FaultKind;
  /** The share of the matching requests that get the fault, from 0 to 1. Default: 1. */
  readonly probability?: number;
  /** Decides which of them, and how long a varying latency is. The same seed decides the same. Default: any. */
  readonly seed?: number;
  /** How many matching requests pass before the first fault. Default: 0. */
  readonly after?: number;
  /** How many requests get the fault before the rule ends. */
  readonly times?: number;
  /** How long the rule lasts, as `500ms`, `60s`, `5m`. */
  readonly for?: string;
}

/** A rule of a server, with what it has done so far. */
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
