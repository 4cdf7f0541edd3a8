import { keyOf } from '../../entity/stored/write-row.js';
import { TableError } from '../../protocol/errors.js';
import { lowerAscii } from '../../protocol/names.js';
import { BoundedMap } from '../../remembered.js';
import { isRejection, type TableHandle } from '../../store/store.js';
import type { Effect, Strike } from './effect.js';
import { wrapTable } from './wrap-table.js';

/** The rates of a partition and an account. */
export interface ThrottleLimits {
  /** Entities read or written per second in a partition. */
  readonly partition: number;
  /** The same in an account. */
  readonly account: number;
  /** Size of a burst. Unit: seconds at these rates. */
  readonly burstSeconds: number;
}

/** How many partitions have a bucket. (Our choice: the bucket of a long-idle partition is full again.) */
const partitionsMax = 20_000;

/**
 * Returns the effect of rejecting requests to a partition or an account that has used up its rate. As in the service, a query
 * is charged for the entities it tests, not for those it returns. `now` returns milliseconds of any clock.
 */
export function throttle(limits: ThrottleLimits, now: () => number = () => performance.now()): Effect {
  const { partition, account, burstSeconds } = limits;
  const partitions = new BoundedMap<TokenBucket>(partitionsMax);
  const accounts = new BoundedMap<TokenBucket>(partitionsMax);
  const bucket = (map: BoundedMap<TokenBucket>, key: string, rate: number) =>
    map.use(key, () => new TokenBucket(rate, rate * burstSeconds, now()));

  return async (strike, run) => {
    const { addressed, hit, evidence } = strike;
    const ofAccount = bucket(accounts, strike.account, account);
    const ofPartition = (key: string) => bucket(partitions, partitionName(strike, key), partition);
    const named = new Set(addressed().keys.map(({ partitionKey }) => partitionKey));
    const isBusy = ofAccount.isEmpty(now()) || [...named].some((key) => ofPartition(key).isEmpty(now()));
    if (isBusy && hit()) {
      const effect = `The rate of ${partition} entities a second in a partition, ${account} in an account, is used up.`;
      throw new TableError('ServerBusy', { evidence: evidence(effect) });
    }
    const spend = (key: string, entities: number) => {
      ofAccount.take(entities, now());
      ofPartition(key).take(entities, now());
    };
    return run((table) => countingTable(table, named, spend));
  };
}

/** Returns a handle that reports the entities read and written, by partition. */
function countingTable(
  table: TableHandle,
  named: ReadonlySet<string>,
  spend: (partitionKey: string, entities: number) => void,
): TableHandle {
  return wrapTable(table, {
    readEntity(key) {
      spend(key.partitionKey, 1);
      return table.readEntity(key);
    },
    commit(changes, writer) {
      const [first] = changes;
      if (first) spend(first.key.partitionKey, changes.length);
      return table.commit(changes, writer);
    },
    async readPage(plan, isGone) {
      const page = await table.readPage(plan, isGone);
      if (isRejection(page)) return page;
      // A page does not name the partitions of rows that did not match, so a single partition pays for all.
      const [only = page.rows[0] === undefined ? '' : keyOf(page.rows[0], 'PartitionKey')] = named;
      spend(only, page.examined);
      return page;
    },
  });
}

function partitionName({ account, addressed }: Strike, partitionKey: string): string {
  return `${account} ${lowerAscii(addressed().table ?? '')} ${partitionKey}`;
}

/** Request units of one entity. (Our choice: the order of magnitude that Cosmos DB charges for an entity of 1 KiB.) */
const unitsOf = { read: 1, written: 5, tested: 1 } as const;

/** How many accounts have a bucket. (Our choice: the bucket of a long-idle account is full again.) */
const accountsMax = 1000;

/** Answers 429 with the time until the client may retry, as Cosmos DB does. */
function reject({ marks, evidence }: Strike, retryAfterMs: number, effect: string): never {
  marks.headers = ['x-ms-retry-after-ms', String(retryAfterMs)];
  throw new TableError('TooManyRequests', { evidence: evidence(effect) });
}

/** Returns the effect of answering 429 when an account has used up its request units. */
export function requestUnits(perSecond: number, burstSeconds: number, now = () => performance.now()): Effect {
  const buckets = new BoundedMap<TokenBucket>(accountsMax);
  return async (strike, run) => {
    const { account, hit } = strike;
    const bucket = buckets.use(account, () => new TokenBucket(perSecond, perSecond * burstSeconds, now()));
    if (bucket.isEmpty(now()) && hit()) {
      reject(strike, Math.ceil(bucket.waitMs(now())), `The ${perSecond} request units per second are used up.`);
    }
    return run((table) => chargingTable(table, (units) => bucket.take(units, now())));
  };
}

function chargingTable(table: TableHandle, charge: (units: number) => void): TableHandle {
  return wrapTable(table, {
    readEntity(key) {
      charge(unitsOf.read);
      return table.readEntity(key);
    },
    commit(changes, writer) {
      charge(changes.length * unitsOf.written);
      return table.commit(changes, writer);
    },
    async readPage(plan, isGone) {
      const page = await table.readPage(plan, isGone);
      if (!isRejection(page)) charge(Math.max(1, page.examined * unitsOf.tested));
      return page;
    },
  });
}

/** A bucket that fills at a rate up to a capacity. Its level may become negative. */
export class TokenBucket {
  readonly #rate: number;
  readonly #capacity: number;
  #level: number;
  #at: number;

  /** Starts full, with at least one token. `rate` is in tokens per second, `now` in milliseconds of any clock. */
  constructor(rate: number, capacity: number, now: number) {
    this.#rate = rate;
    this.#capacity = Math.max(1, capacity);
    this.#level = this.#capacity;
    this.#at = now;
  }

  /** Whether less than one token is left. */
  isEmpty(now: number): boolean {
    this.#fill(now);
    return this.#level < 1;
  }

  /** Returns the time until a token is available. Unit: milliseconds. */
  waitMs(now: number): number {
    this.#fill(now);
    return Math.max(0, ((1 - this.#level) / this.#rate) * 1000);
  }

  take(tokens: number, now: number): void {
    this.#fill(now);
    this.#level -= tokens;
  }

  #fill(now: number): void {
    const seconds = Math.max(0, now - this.#at) / 1000;
    this.#level = Math.min(this.#capacity, this.#level + seconds * this.#rate);
    this.#at = now;
  }
}
