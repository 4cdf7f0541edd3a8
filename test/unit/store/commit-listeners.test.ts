import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Change } from '../../../src/entity/stored/change.js';
import { type EntityKey, etagOf } from '../../../src/entity/stored/entity.js';
import type { CommittedTransaction, Writer } from '../../../src/store/commit-listeners.js';
import { filetimeOf } from '../../../src/store/level/order/ordinal-encoding.js';
import { isRejection, type Store } from '../../../src/store/store.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import {
  account,
  commit,
  insert,
  keyAt,
  numbered,
  numberOf,
  readEntity,
  remove,
  replace,
} from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

describe.each(grounds)('listeners of commits, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: Store;
  beforeEach(async () => {
    tested = await openTestStore(ground);
    store = tested.store();
    await store.createTable(account, 'Table');
  });
  afterEach(() => tested.dispose());

  /** Starts to listen. Returns all transactions from now on. */
  function listen(): CommittedTransaction[] {
    const heard: CommittedTransaction[] = [];
    store.onCommit((transaction) => heard.push(transaction));
    return heard;
  }

  it('get the table, and of each change its kind, key, both texts and Timestamp', async () => {
    await commit(store, 'Table', insert(keyAt('a'), 1), insert(keyAt('b'), 2));
    const [before, gone] = await Promise.all([keyAt('a'), keyAt('b')].map((key) => readEntity(store, 'Table', key)));
    const heard = listen();
    await commit(store, 'TABLE', replace(keyAt('a'), 3, '*'), remove(keyAt('b')), insert(keyAt('c'), 4));
    const after = await readEntity(store, 'Table', keyAt('a'));
    expect(heard).toEqual([
      {
        account,
        table: 'Table',
        writer: undefined,
        changes: [
          {
            kind: 'replace',
            key: keyAt('a'),
            text: after,
            previous: before,
            isNew: false,
            timestamp: expect.any(String),
          },
          { kind: 'delete', key: keyAt('b'), text: null, previous: gone, isNew: false, timestamp: expect.any(String) },
          {
            kind: 'insert',
            key: keyAt('c'),
            text: await readEntity(store, 'Table', keyAt('c')),
            previous: null,
            isNew: true,
            timestamp: expect.any(String),
          },
        ],
      },
    ]);
    const stamps = heard[0]?.changes.map(({ timestamp }) => timestamp) ?? [];
    expect(new Set(stamps).size).toBe(3);
    expect(JSON.parse(after ?? '')).toMatchObject({ Timestamp: stamps[0] });
  });

  it('get no previous text for Insert Or Replace, which does not read the entity', async () => {
    await commit(store, 'Table', insert(keyAt('r'), 1));
    const heard = listen();
    await commit(store, 'Table', replace(keyAt('r'), 2));
    expect(heard[0]?.changes[0]).toMatchObject({ kind: 'replace', previous: undefined });
  });

  it('get for each change what the changes before it have made, within one transaction', async () => {
    const heard = listen();
    const key = keyAt('r');
    await commit(store, 'Table', insert(key, 1), replace(key, 2, '*'), remove(key), insert(key, 4));
    const seen = heard[0]?.changes.map(({ previous, text }) => [numberOf(previous), numberOf(text)]);
    expect(seen).toEqual([
      [undefined, 1],
      [1, 2],
      [2, undefined],
      [undefined, 4],
    ]);
  });

  it('are called before the client has its answer, and readers then see the change', async () => {
    const events: string[] = [];
    let read: unknown;
    store.onCommit(() => {
      events.push('listener');
      read = readEntity(store, 'Table', keyAt('r'));
    });
    await commit(store, 'Table', insert(keyAt('r'), 1)).then(() => events.push('answer'));
    expect(events).toEqual(['listener', 'answer']);
    expect(numberOf((await read) as string)).toBe(1);
  });

  it('are not called for a rejected transaction, nor for a transaction without changes of entities', async () => {
    await commit(store, 'Table', insert(keyAt('r'), 1));
    const heard = listen();
    const rejected = [insert(keyAt('new')), insert(keyAt('r'))];
    expect(isRejection(await store.openTable(account, 'Table').commit(rejected))).toBe(true);
    expect(isRejection(await store.openTable(account, 'None').commit([insert(keyAt('r'))]))).toBe(true);
    await store.createTable(account, 'Other');
    await store.deleteTable(account, 'Other');
    expect(heard).toEqual([]);
  });

  it('get concurrent transactions of one entity in the order of their commits', async () => {
    const heard = listen();
    const keys = Array.from({ length: 60 }, (_, at) => keyAt(`r${at % 3}`));
    const merge = (key: EntityKey, value: number): Change => {
      return { kind: 'merge', key, properties: numbered(value), ifMatch: undefined };
    };
    await Promise.all(keys.map((key, at) => commit(store, 'Table', merge(key, at))));
    expect(heard).toHaveLength(60);
    for (const key of keys.slice(0, 3)) {
      const changes = heard.flatMap((one) => one.changes).filter((change) => change.key.rowKey === key.rowKey);
      const previous = changes.map((change) => change.previous);
      expect(previous).toEqual([null, ...changes.slice(0, -1).map(({ text }) => text)]);
      const ticks = changes.map(({ timestamp }) => filetimeOf(timestamp));
      expect(ticks.every((tick, at) => at === 0 || tick > (ticks[at - 1] ?? tick))).toBe(true);
      expect(changes.at(-1)?.text).toBe(await readEntity(store, 'Table', key));
    }
  });

  it('get the request that a transaction was committed for', async () => {
    const heard = listen();
    const writer: Writer = {
      ...{ requestId: 'id', clientRequestId: undefined, operation: 'Insert Entity', caller: '127.0.0.1' },
      userAgent: undefined,
    };
    await store.openTable(account, 'Table').commit([insert(keyAt('a'))], writer);
    await commit(store, 'Table', insert(keyAt('b')));
    expect(heard.map((one) => one.writer)).toEqual([writer, undefined]);
  });

  it('get no previous texts if all of them want only the new ones', async () => {
    const heard: CommittedTransaction[] = [];
    const stop = store.onCommit((transaction) => heard.push(transaction), 'new');
    await commit(store, 'Table', insert(keyAt('a'), 1));
    const written = await readEntity(store, 'Table', keyAt('a'));
    await commit(store, 'Table', replace(keyAt('a'), 2, etagOf(written as string)));
    expect(heard.flatMap(({ changes }) => changes).map(({ previous, text }) => [previous, numberOf(text)])).toEqual([
      [undefined, 1],
      [undefined, 2],
    ]);
    stop();
  });

  it('are called no more after they were removed', async () => {
    const heard: CommittedTransaction[] = [];
    const listener = (transaction: CommittedTransaction) => void heard.push(transaction);
    const [first, second] = [store.onCommit(listener), store.onCommit(listener)];
    await commit(store, 'Table', insert(keyAt('a')));
    first();
    first();
    await commit(store, 'Table', insert(keyAt('b')));
    second();
    await commit(store, 'Table', insert(keyAt('c')));
    expect(heard.map(({ changes }) => changes[0]?.key.rowKey)).toEqual(['a', 'a', 'b']);
  });

  it('that throw are reported, and neither the write nor other listeners notice', async () => {
    const fault = new Error('a bad listener');
    store.onCommit(() => {
      throw fault;
    });
    const heard = listen();
    await commit(store, 'Table', insert(keyAt('a'), 1));
    await commit(store, 'Table', insert(keyAt('b'), 2));
    expect(heard).toHaveLength(2);
    expect(tested.reports).toEqual([fault, fault]);
    await tested.reopen();
    expect(numberOf(await readEntity(tested.store(), 'Table', keyAt('b')))).toBe(2);
  });
});
