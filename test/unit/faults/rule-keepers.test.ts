import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { addition, removal, replacement } from '../../../src/faults/change-rules.js';
import { DatabaseRules } from '../../../src/faults/database-rules.js';
import { ProcessRules } from '../../../src/faults/process-rules.js';
import { InvalidRule } from '../../../src/faults/read-value.js';
import type { RuleKeeper } from '../../../src/faults/rule-keeper.js';
import { RuleSet } from '../../../src/faults/rule-set.js';
import { clusterDatabase, openCluster } from '../../support/open-cluster.js';

/** A keeper of rules under test. */
interface TestedKeeper {
  readonly keeper: RuleKeeper;
  dispose(): Promise<void>;
}

const inMemory = async (): Promise<TestedKeeper> => ({ keeper: new ProcessRules(), dispose: async () => {} });

const inDatabase = async (): Promise<TestedKeeper> => {
  const { stores, dispose } = await openCluster([clusterDatabase ?? '']);
  const rules = stores[0]?.rules;
  if (!rules) throw new Error('a database keeps rules');
  return { keeper: new DatabaseRules(rules), dispose };
};

const keepers = [
  { place: 'the memory of a server', open: inMemory },
  ...(clusterDatabase ? [{ place: 'a database', open: inDatabase }] : []),
];

describe.each(keepers)('Fault rules in $place', ({ open }) => {
  let tested: TestedKeeper;
  let keeper: RuleKeeper;
  beforeEach(async () => {
    tested = await open();
    keeper = tested.keeper;
  });
  afterEach(() => tested.dispose());
  const add = (...values: unknown[]) => keeper.change(addition(values, 'usual', 'fault'));
  const addOne = async (value: object) => {
    const [added] = await add(value);
    if (!added) throw new Error('nothing was added');
    return added;
  };
  const ids = async () => (await keeper.list()).map(({ id }) => id);

  it('are listed in the order in which they were added, as they were asked for', async () => {
    expect(await keeper.list()).toEqual([]);
    const when = { table: 'Jobs', partitionKey: 'a\u0000\ud800"' };
    await add({ id: 'b', when, fault: 'serverBusy', seed: 7, times: 2 }, { id: 'a', fault: 'internalError' });
    expect(await keeper.list()).toMatchObject([
      { id: 'b', seed: 7, rule: { when, fault: { kind: 'serverBusy' }, times: 2 }, matched: 0, hits: 0, ended: false },
      { id: 'a', rule: { fault: { kind: 'internalError' } }, endsAt: expect.any(Number) },
    ]);
  });

  it('get ids that no other rule has', async () => {
    const first = await addOne({ fault: 'serverBusy' });
    await add({ id: `fault-${first.number + 1}`, fault: 'serverBusy' }, { fault: 'serverBusy' });
    await add({ fault: 'serverBusy' });
    expect(new Set(await ids()).size).toBe(4);
  });

  it('take the place of one with the same id, with new counts', async () => {
    const first = await addOne({ id: 'a', fault: 'serverBusy' });
    await keeper.count(first.number, 'match');
    await add({ id: 'b', fault: 'serverBusy' });
    const second = await addOne({ id: 'a', fault: 'internalError' });
    expect(second.number).toBeGreaterThan(first.number);
    expect(await keeper.list()).toMatchObject([{ id: 'b' }, { id: 'a', matched: 0 }]);
    expect(await keeper.count(first.number, 'match')).toBeUndefined();
  });

  it('are replaced and removed, one or all', async () => {
    await add({ id: 'a', fault: 'serverBusy' }, { id: 'b', fault: 'serverBusy' });
    await keeper.change(removal('a'));
    expect(await ids()).toEqual(['b']);
    await keeper.change(
      replacement(
        [
          { id: 'c', fault: 'serverBusy' },
          { id: 'd', fault: 'serverBusy' },
        ],
        'fault',
      ),
    );
    expect(await ids()).toEqual(['c', 'd']);
    await keeper.change(removal());
    expect(await ids()).toEqual([]);
  });

  it('stay as they are if a change is refused', async () => {
    await add(...Array.from({ length: 100 }, () => ({ fault: 'serverBusy' })));
    await expect(add({ fault: 'serverBusy' })).rejects.toThrow(InvalidRule);
    expect(await keeper.list()).toHaveLength(100);
  });

  it('count what they match and what they hit, for each rule', async () => {
    const [one, two] = await add({ fault: 'serverBusy' }, { fault: 'serverBusy' });
    const number = one?.number ?? 0;
    const counted = await Promise.all(Array.from({ length: 10 }, () => keeper.count(number, 'match')));
    expect(counted.sort((a = 0, b = 0) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([await keeper.count(number, 'hit'), await keeper.count(number, 'hit')]).toEqual([0, 1]);
    expect(await keeper.count(two?.number ?? 0, 'match')).toBe(0);
    expect(await keeper.list()).toMatchObject([
      { matched: 10, hits: 2 },
      { matched: 1, hits: 0 },
    ]);
  });

  it('end when they have hit as often as they may, and count nothing more', async () => {
    const { number } = await addOne({ fault: 'serverBusy', times: 3 });
    const hits = await Promise.all(Array.from({ length: 8 }, () => keeper.count(number, 'hit')));
    expect(hits.filter((one) => one !== undefined)).toHaveLength(3);
    expect(await keeper.count(number, 'match')).toBeUndefined();
    expect(await keeper.list()).toMatchObject([{ hits: 3, matched: 0, ended: true }]);
  });

  it('end when their time is over', async () => {
    const { number, remainingMs } = await addOne({ fault: 'serverBusy', for: '50ms' });
    expect(remainingMs).toBeLessThanOrEqual(50);
    await vi.waitUntil(async () => (await keeper.count(number, 'match')) === undefined, { timeout: 60_000 });
    expect(await keeper.list()).toMatchObject([{ ended: true }]);
  });

  it('are counted no more when they are removed', async () => {
    const { number } = await addOne({ fault: 'serverBusy' });
    await keeper.change(removal());
    expect(await keeper.count(number, 'hit')).toBeUndefined();
  });

  it('of which 100 ended last are listed', async () => {
    const all = await add(...Array.from({ length: 100 }, () => ({ fault: 'serverBusy', times: 1 })));
    for (const { number } of all) await keeper.count(number, 'hit');
    const [last] = await add({ fault: 'serverBusy', times: 1 });
    await keeper.count(last?.number ?? 0, 'hit');
    await add({ id: 'next', fault: 'serverBusy' });
    expect(await ids()).toEqual([...all.slice(1).map(({ id }) => id), last?.id, 'next']);
  });

  it('that are not there need no test of a request', async () => {
    const set = new RuleSet(keeper, 'fault', () => {});
    await vi.waitUntil(() => !set.isActive, { timeout: 60_000 });
    await set.add([{ id: 'a', fault: 'serverBusy' }]);
    expect(set.isActive).toBe(true);
    await set.remove('a');
    expect(set.isActive).toBe(false);
  });

  it('tell who follows them when they change', async () => {
    const seen: (readonly string[])[] = [];
    keeper.follow(() => seen.push(keeper.rules.map(({ id }) => id)));
    await keeper.catchUp();
    await add({ id: 'a', fault: 'serverBusy' });
    expect(seen.at(-1)).toEqual(['a']);
    await keeper.change(removal('a'));
    expect(seen.at(-1)).toEqual([]);
    await vi.waitUntil(() => !keeper.isBehind, { timeout: 60_000 });
  });
});
