import { describe, expect, it } from 'vitest';
import type { Change } from '../../../../src/entity/stored/change.js';
import { Coach } from '../../../../src/insight/coach/coach.js';
import { nameOf } from '../../../../src/insight/rules/rule.js';
import { thresholds } from '../../../../src/insight/rules/thresholds.js';
import { insertOf, observedWrite } from '../../../support/clients/observed-request.js';

const found = (act: (coach: Coach) => void) => {
  const coach = new Coach();
  act(coach);
  return coach.findings(0).map((finding) => `${nameOf(finding)} ${finding.severity}`);
};

/** Writes entities of these keys, one request each. */
const insert = (coach: Coach, keys: readonly (readonly [partitionKey: string, rowKey: string])[]) => {
  for (const [partitionKey, rowKey] of keys) coach.tables.observe(observedWrite([insertOf(partitionKey, rowKey)]));
};

const keysOf = (count: number, key: (at: number) => readonly [string, string]) =>
  Array.from({ length: count }, (_, at) => key(at));

/** A row key without a number. */
const letters = (at: number) => `${at.toString(36)}x`;

describe('Writes to the partitions of a table', () => {
  const shared = (writes: number, hot: number) =>
    found((coach) =>
      insert(
        coach,
        keysOf(writes, (at) => [at < hot ? 'hot' : letters(at), letters(at)] as const),
      ),
    );

  it('raise hot-partition/one-partition if 80 % of 200 go to one of several partitions', () => {
    expect(shared(200, 160)).toEqual(['hot-partition/one-partition warn']);
    expect(shared(200, 159)).toEqual([]);
    expect(shared(199, 198)).toEqual([]);
  });

  it('count the requests to the busy partition, and name the first and the last of them', () => {
    const coach = new Coach();
    for (let at = 0; at < 20; at++) {
      const rows = Array.from({ length: 100 }, (_, row) => insertOf('hot', letters(at * 100 + row)));
      coach.tables.observe(observedWrite(rows, { at, requestId: `hot ${at}` }));
    }
    coach.tables.observe(observedWrite([insertOf('other', 'r')], { requestId: 'other' }));
    const requests = { firstRequest: 'hot 0', worstRequest: 'hot 19' };
    expect(coach.findings(0)).toMatchObject([
      { severity: 'warn', shape: 'writes, most of them to one partition', calls: 20, ...requests },
    ]);
  });

  it('raise hot-partition/one-partition that is not a warning for 1,000 writes to a table with one partition', () => {
    expect(shared(1000, 1000)).toEqual(['hot-partition/one-partition info']);
    expect(shared(999, 999)).toEqual([]);
  });
});

it('Inserts in the order of the partitions raise nothing, because no partition gets most of them', () => {
  const hours = keysOf(
    300,
    (at) => [`2026-01-31T${String(Math.floor(at / 20)).padStart(2, '0')}`, letters(at)] as const,
  );
  expect(found((coach) => insert(coach, hours))).toEqual([]);
});

describe('Deletions', () => {
  const remove = (count: number, ms: number, { partitions = 1, isTransaction = false } = {}) =>
    found((coach) => {
      for (let at = 0; at < count; at++) {
        const key = { partitionKey: `p${at % partitions}`, rowKey: letters(at) };
        const change: Change = { kind: 'delete', key, ifMatch: '*' };
        coach.tables.observe(observedWrite([change], { at: (at * ms) / (count - 1), isTransaction }));
      }
    });

  it('one by one raise single-writes/deletes from 100 in a partition within 10 seconds', () => {
    const { singleDeletes, singleDeletesMs } = thresholds;
    expect(remove(singleDeletes, singleDeletesMs - 1)).toEqual(['single-writes/deletes warn']);
    expect(remove(singleDeletes, singleDeletesMs)).toEqual([]);
    expect(remove(singleDeletes - 1, singleDeletesMs - 1)).toEqual([]);
    expect(remove(singleDeletes, singleDeletesMs - 1, { isTransaction: true })).toEqual([]);
    expect(remove(singleDeletes, singleDeletesMs - 1, { partitions: 2 })).toEqual([]);
  });

  it('in transactions raise nothing, because they are not sent one by one', () => {
    const inTransactions = found((coach) => {
      for (let from = 0; from < 2000; from += 100) {
        const rows = Array.from({ length: 100 }, (_, at) => letters(from + at));
        coach.tables.observe(
          observedWrite(
            rows.map((rowKey) => ({ kind: 'delete', key: { partitionKey: `p${from}`, rowKey }, ifMatch: '*' })),
          ),
        );
      }
    });
    expect(inTransactions).toEqual([]);
  });
});
