import { keyOf } from '../../entity/stored/write-row.js';
import { TableError } from '../../protocol/errors.js';
import { lowerAscii } from '../../protocol/names.js';
import { BoundedMap } from '../../remembered.js';
import { isRefusal, type TableHandle } from '../../store/store.js';
import type { Effect, Strike } from './effect.js';
import { TokenBucket } from './token-bucket.js';
import { wrapTable } from './wrap-table.js';

/** How much a partition and an account may do. */
export interface ThrottleLimits {
  /** Entities a second that are read or written in a partition. */
  readonly partition: number;
  /** The same in an account. */
  readonly account: number;
  /** How many seconds of it may come at once. */
  readonly burstSeconds: number;
}

/** How many partitions are followed. Ours: one that was not used for long has a full bucket again. */
const partitionsMax = 20_000;

/**
 * Returns the effect of refusing requests to a partition or an account that has used up its rate. It counts entities as the
 * service does: those that a query has tested, not those that it returns. `now` is in milliseconds, of any clock.
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

/** Returns a handle that tells how many entities of which partition are read and written. */
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
      if (isRefusal(page)) return page;
      // A page does not tell the partitions of the rows that did not match, so all count for the one that it begins in.
      const [only = page.rows[0] === undefined ? '' : keyOf(page.rows[0], 'PartitionKey')] = named;
      spend(only, page.examined);
      return page;
    },
  });
}

function partitionName({ account, addressed }: Strike, partitionKey: string): string {
  return `${account} ${lowerAscii(addressed().table ?? '')} ${partitionKey}`;
}
