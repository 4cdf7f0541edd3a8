import { describe, expect, it } from 'vitest';
import type { Change } from '../../../../../src/entity/stored/change.js';
import { writeEntityText } from '../../../../../src/entity/stored/entity.js';
import { AccountServices } from '../../../../../src/store/account-services.js';
import { bodyOf, timeOf, unstamped } from '../../../../../src/store/postgres/schema/stamps.js';
import { guessState, KnownTables } from '../../../../../src/store/postgres/write/guess-state.js';
import { entityKeyOf, judgeGroup, type KnownEntity } from '../../../../../src/store/postgres/write/judge-group.js';
import { isRejection } from '../../../../../src/store/store.js';
import { insert, keyAt, numbered, remove, replace } from '../../../../support/store/store-changes.js';

const table = 'account/table';
const commitOf = (...changes: readonly Change[]) => ({ account: 'account', name: 'table', id: undefined, changes });

const services = new AccountServices();

const offsetOf = (stamp: number) => 10 * stamp;

/** The state in which the table has these rows. */
function stateWith(...rows: readonly string[]) {
  const entities = new Map<string, KnownEntity | null>();
  for (const row of rows) {
    const body = bodyOf(writeEntityText(keyAt(row), unstamped, numbered(0)));
    entities.set(entityKeyOf(table, keyAt(row)), { ts: '134000000000000000', body });
  }
  return { ids: new Map([[table, '7']]), entities };
}

describe('a group of commits', () => {
  it('is judged in order, each on what those before it leave', () => {
    const { outcomes, writes } = judgeGroup(
      [commitOf(insert(keyAt('a'), 1)), commitOf(insert(keyAt('a'), 2)), commitOf(replace(keyAt('a'), 3, '*'))],
      stateWith(),
      services,
      offsetOf,
    );
    expect(outcomes.map((one) => (isRejection(one) ? one.reason : 'kept'))).toEqual(['kept', 'entity-exists', 'kept']);
    expect(writes).toMatchObject([{ key: keyAt('a'), expect: '0', result: { offset: 20 } }]);
  });

  it('writes its rows in key order, so that rival servers lock them in one order', () => {
    const changes = ['z', '\u{1f600}', '\ue000', 'a'].map((row) => insert(keyAt(row)));
    const { writes } = judgeGroup([commitOf(...changes)], stateWith(), services, offsetOf);
    expect(writes.map(({ key }) => key.rowKey)).toEqual(['a', 'z', '\u{1f600}', '\ue000']);
  });

  it('is cut before a rejection that rests on its own rows and on rows that it only read, because they are of two moments', () => {
    const mixed = commitOf(remove(keyAt('own')), insert(keyAt('read')));
    const group = [commitOf(insert(keyAt('own'))), mixed, commitOf(insert(keyAt('later')))];
    expect(judgeGroup(group, stateWith('read'), services, offsetOf).outcomes).toHaveLength(1);
    expect(judgeGroup([mixed], stateWith('read'), services, offsetOf).outcomes).toEqual([
      { reason: 'entity-missing', at: 0 },
    ]);
  });

  it('is cut before a commit that deletes a row of its own, because only a row that is written is proven to be free', () => {
    const group = [commitOf(insert(keyAt('a')), insert(keyAt('b'))), commitOf(remove(keyAt('a')))];
    const { outcomes, writes } = judgeGroup(group, stateWith(), services, offsetOf);
    expect(outcomes).toHaveLength(1);
    expect(writes).toMatchObject([
      { key: keyAt('a'), expect: '0', result: { offset: 10 } },
      { key: keyAt('b'), expect: '0', result: { offset: 20 } },
    ]);
  });

  it('is not cut before a commit that deletes a row of the database, which is proven either way', () => {
    const group = [commitOf(replace(keyAt('a'), 1)), commitOf(remove(keyAt('a')))];
    const { outcomes, writes } = judgeGroup(group, stateWith('a'), services, offsetOf);
    expect(outcomes).toHaveLength(2);
    expect(writes).toMatchObject([{ expect: '134000000000000000', result: null }]);
  });

  it('matches no tag on a row that has none yet', () => {
    const tags = [`W/"datetime'${unstamped}'"`.replace(unstamped, ''), `W/"datetime'2000-01-01T00%3A00%3A00Z'"`];
    for (const tag of tags) {
      const { outcomes } = judgeGroup(
        [commitOf(insert(keyAt('a')), replace(keyAt('a'), 1, tag))],
        stateWith(),
        services,
        offsetOf,
      );
      expect(outcomes).toEqual([{ reason: 'etag-differs', at: 1 }]);
      const group = [commitOf(insert(keyAt('a'))), commitOf(replace(keyAt('a'), 1, tag))];
      expect(judgeGroup(group, stateWith(), services, offsetOf).outcomes[1]).toEqual({ reason: 'etag-differs', at: 0 });
    }
  });

  it('does not write a row that one commit makes and deletes', () => {
    const { outcomes, writes } = judgeGroup(
      [commitOf(insert(keyAt('a')), remove(keyAt('a')))],
      stateWith(),
      services,
      offsetOf,
    );
    expect(outcomes[0]).toHaveLength(2);
    expect(writes).toEqual([]);
  });

  it('rejects a commit whose handle belongs to another table of the name', () => {
    const { outcomes } = judgeGroup([{ ...commitOf(insert(keyAt('a'))), id: '6' }], stateWith(), services, offsetOf);
    expect(outcomes).toEqual([{ reason: 'table-missing', at: 0 }]);
  });
});

describe('a guess', () => {
  const known = new KnownTables();
  known.learn(table, { id: '7', name: 'Table' });
  const ticks = '134000000000000000';
  const etag = `W/"datetime'${timeOf(ticks).replaceAll(':', '%3A')}'"`;

  it('takes for granted that an insert finds nothing and a tag is the present one', () => {
    const state = guessState(
      [commitOf(insert(keyAt('a')), replace(keyAt('b'), 1, etag), remove(keyAt('c'), etag))],
      known,
      true,
    );
    expect([...(state?.entities.values() ?? [])].map((one) => one?.ts)).toEqual([undefined, ticks, ticks]);
    const judged = state && judgeGroup([commitOf(replace(keyAt('b'), 1, etag))], state, services, offsetOf);
    expect(judged?.writes).toMatchObject([{ expect: ticks }]);
  });

  it.each([
    ['a table that was not seen', { ...commitOf(insert(keyAt('a'))), name: 'other' }],
    ['an unconditional change', commitOf(replace(keyAt('a'), 1))],
    ['any tag', commitOf(remove(keyAt('a'), '*'))],
    ['a tag in another spelling', commitOf(remove(keyAt('a'), etag.replace("Z'", ".0Z'")))],
    ['two changes of one entity', commitOf(insert(keyAt('a')), replace(keyAt('a'), 1, etag))],
    [
      'a merge, which needs the properties',
      commitOf({ kind: 'merge', key: keyAt('a'), properties: [], ifMatch: etag }),
    ],
  ])('is not made for %s', (_what, commit) => {
    expect(guessState([commit], known, true)).toBeUndefined();
  });

  it('is made for inserts alone if the entities before the changes are wanted', () => {
    expect(guessState([commitOf(insert(keyAt('a')))], known, false)).toBeDefined();
    expect(guessState([commitOf(remove(keyAt('a'), etag))], known, false)).toBeUndefined();
  });
});
