import { TableError } from '../../protocol/errors.js';
import { BoundedMap } from '../../remembered.js';
import { isRefusal, type TableHandle } from '../../store/store.js';
import type { Effect, Strike } from './effect.js';
import { TokenBucket } from './token-bucket.js';
import { wrapTable } from './wrap-table.js';

/** Request units of one entity. Ours, of the order that Cosmos DB charges for an entity of 1 KiB. */
const unitsOf = { read: 1, written: 5, tested: 1 } as const;

/** How many accounts are followed. Ours: one that was not used for long has a full bucket again. */
const accountsMax = 1000;

/** Answers 429 as Cosmos DB does, with the time after which the client may try again. Unit: milliseconds. */
function refuse({ marks, evidence }: Strike, retryAfterMs: number, effect: string): never {
  marks.headers = ['x-ms-retry-after-ms', String(retryAfterMs)];
  throw new TableError('TooManyRequests', { evidence: evidence(effect) });
}

/** Returns the effect of refusing requests with 429 when their account has used up its request units. */
export function requestUnits(perSecond: number, burstSeconds: number, now = () => performance.now()): Effect {
  const buckets = new BoundedMap<TokenBucket>(accountsMax);
  return async (strike, run) => {
    const { account, hit } = strike;
    const bucket = buckets.use(account, () => new TokenBucket(perSecond, perSecond * burstSeconds, now()));
    if (bucket.isEmpty(now()) && hit()) {
      refuse(strike, Math.ceil(bucket.waitMs(now())), `The ${perSecond} request units per second are used up.`);
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
      if (!isRefusal(page)) charge(Math.max(1, page.examined * unitsOf.tested));
      return page;
    },
  });
}
