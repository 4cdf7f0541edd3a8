import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Accounts } from '../../../../../src/auth/accounts.js';
import { developmentAccount } from '../../../../../src/protocol/access/accounts.js';
import { State } from '../../../../../src/state/state.js';
import { HiddenRanges } from '../../../../../src/store/level/read/hidden-ranges.js';
import { type LevelUnderTest, openLevelOn } from '../../../../support/store/open-level-on.js';
import { account, commit, insert, keyAt, rowsOf } from '../../../../support/store/store-changes.js';

describe('ranges of hidden rows', () => {
  const hider = 'upper';
  const range = { hider, from: 'b', to: 'y' };
  const known = (ranges: HiddenRanges, layer: string, row: string, above = [hider]) => ranges.find(layer, above, row);

  it('are known to those who have the hiding layer above, and hold for their rows', () => {
    const ranges = new HiddenRanges(2);
    ranges.add('lower', range, 2, ranges.version);
    expect(known(ranges, 'lower', 'b')).toEqual(range);
    expect(known(ranges, 'lower', 'y')).toEqual(range);
    expect(known(ranges, 'lower', 'a')).toBeUndefined();
    expect(known(ranges, 'lower', 'z')).toBeUndefined();
    expect(known(ranges, 'lower', 'm', ['another'])).toBeUndefined();
    expect(ranges.has('lower', ['another'])).toBe(false);
  });

  it('are not worth remembering for few rows', () => {
    const ranges = new HiddenRanges(2);
    ranges.add('lower', range, 1, ranges.version);
    expect(ranges.has('lower', [hider])).toBe(false);
  });

  it('stay where both of two layers that are merged have them', () => {
    const ranges = new HiddenRanges(2);
    ranges.add('lower', range, 2, ranges.version);
    ranges.add('middle', { hider, from: 'f', to: 'z' }, 2, ranges.version);
    ranges.merge('middle', 'lower');
    expect(known(ranges, 'lower', 'f')).toEqual({ hider, from: 'f', to: 'y' });
    expect(known(ranges, 'lower', 'b')).toBeUndefined();
  });

  it('are forgotten when a layer gets rows of which nothing is known', () => {
    const ranges = new HiddenRanges(2);
    ranges.add('lower', range, 2, ranges.version);
    ranges.merge('middle', 'lower');
    expect(known(ranges, 'lower', 'm')).toBeUndefined();
  });

  it('are not learned from what was read before a merge', () => {
    const ranges = new HiddenRanges(2);
    const { version } = ranges;
    ranges.merge('middle', 'lower');
    ranges.add('lower', range, 2, version);
    expect(known(ranges, 'lower', 'm')).toBeUndefined();
  });
});

describe('a table of which undo keeps what resets of a partition have removed', () => {
  let tested: LevelUnderTest;
  beforeEach(async () => {
    tested = await openLevelOn('LevelDB');
    await tested.store().createTable(account, 'Table');
  });
  afterEach(() => tested.dispose());

  /** Returns how many records the engine returns for a page of one row. */
  const recordsRead = async () => {
    const { engine } = tested;
    let records = 0;
    const iterator = engine.iterator.bind(engine);
    engine.iterator = ((options: object) => {
      const made = iterator(options);
      const nextv = made.nextv.bind(made);
      made.nextv = (async (size: number) => {
        const chunk = await nextv(size);
        records += chunk.length;
        return chunk;
      }) as typeof made.nextv;
      return made;
    }) as typeof engine.iterator;
    expect(await rowsOf(tested.store(), 'Table', { rowsMax: 1 })).toEqual(['q/0000']);
    engine.iterator = iterator;
    return records;
  };

  it('is read past what is hidden, so that a page costs no more for each reset', async () => {
    const rows = Array.from({ length: 300 }, (_, at) => String(at).padStart(4, '0'));
    const fill = async (partition: string) => {
      for (let at = 0; at < rows.length; at += 100) {
        await commit(tested.store(), 'Table', ...rows.slice(at, at + 100).map((row) => insert(keyAt(row, partition))));
      }
    };
    const accounts = new Accounts([{ ...developmentAccount, name: account }]);
    const state = new State(tested.store(), accounts, (error) => expect.fail(String(error)));
    const read: number[] = [];
    await fill('q');
    for (let reset = 0; reset < 12; reset++) {
      await fill('p');
      await state.reset({ account, table: 'Table', partition: 'p', to: 'empty' });
      await tested.store().swept();
      read.push(await recordsRead());
    }
    state.stop();
    // Five calls can be undone, and each keeps the 300 rows of the partition.
    expect((await state.undos.list()).length).toBe(5);
    for (const records of read.slice(6)) expect(records).toBeLessThan(5 * rows.length);
  });
});
