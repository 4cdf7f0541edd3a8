import { describe, expect, it } from 'vitest';
import type { Change } from '../../../../src/entity/stored/change.js';
import type { Property } from '../../../../src/entity/stored/entity.js';
import { Coach } from '../../../../src/insight/coach.js';
import { ClientConnection } from '../../../../src/insight/habits/client-connection.js';
import type { ObservedWrite } from '../../../../src/insight/observation.js';
import { nameOf } from '../../../../src/insight/rules/rule.js';
import { thresholds } from '../../../../src/insight/rules/thresholds.js';
import { insertOf, observedPage, observedWrite } from '../../../support/clients/observed-request.js';

const found = (act: (coach: Coach) => void) => {
  const coach = new Coach();
  act(coach);
  return coach.findings(0).map((finding) => `${nameOf(finding)} ${finding.severity}`);
};

/** Writes entities of these keys, one request each. */
const insert = (
  coach: Coach,
  keys: readonly (readonly [partitionKey: string, rowKey: string])[],
  change: (at: number) => Partial<ObservedWrite> = () => ({}),
) => {
  for (const [at, [partitionKey, rowKey]] of keys.entries()) {
    coach.tables.observe(observedWrite([insertOf(partitionKey, rowKey)], change(at)));
  }
};

const keysOf = (count: number, key: (at: number) => readonly [string, string]) =>
  Array.from({ length: count }, (_, at) => key(at));

/** A row key without a number. */
const letters = (at: number) => `${at.toString(36)}x`;

describe('Writes to the partitions of a table', () => {
  const inSecond = (count: number, ms: number, connections: readonly ClientConnection[]) =>
    found((coach) => {
      const spread = keysOf(count, (at) => ['p', letters(at)] as const);
      insert(coach, spread, (at) => {
        const connection = connections[at % connections.length] ?? new ClientConnection();
        return { at: (at * ms) / (count - 1), connection };
      });
      // Another partition, so that the table does not consist of one.
      insert(
        coach,
        keysOf(count, (at) => [letters(at), 'r'] as const),
      );
    });
  const two = [new ClientConnection(), new ClientConnection()];

  it('raise hot-partition/one-partition from 1,000 entities a second, and a serious one from 2,000', () => {
    const { partitionEntitiesWarn: warn, partitionEntitiesSerious: serious } = thresholds;
    expect(inSecond(warn, 999, two)).toEqual(['hot-partition/one-partition warn']);
    expect(inSecond(warn - 1, 999, two)).toEqual([]);
    expect(inSecond(serious, 999, two)).toEqual(['hot-partition/one-partition serious']);
    expect(inSecond(serious - 1, 999, two)).toEqual(['hot-partition/one-partition warn']);
    expect(inSecond(warn, 1000, two)).toEqual([]);
  });

  it('raise no hot-partition/one-partition if one client writes them, because it waits for each answer', () => {
    expect(inSecond(3000, 999, [new ClientConnection()])).toEqual([]);
  });

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
      const connection = two[at % 2] as ClientConnection;
      coach.tables.observe(observedWrite(rows, { at, connection, requestId: `hot ${at}` }));
    }
    coach.tables.observe(observedWrite([insertOf('other', 'r')], { requestId: 'other' }));
    const requests = { firstRequest: 'hot 0', worstRequest: 'hot 19' };
    expect(coach.findings(0)).toMatchObject([
      { severity: 'serious', shape: 'writes to one partition in a second', calls: 20, worstRequest: 'hot 19' },
      { severity: 'warn', shape: 'writes, most of them to one partition', calls: 20, ...requests },
    ]);
  });

  it('raise hot-partition/one-partition that is not a warning for 1,000 writes to a table with one partition', () => {
    expect(shared(1000, 1000)).toEqual(['hot-partition/one-partition info']);
    expect(shared(999, 999)).toEqual([]);
  });
});

it('Inserts in the order of the partitions raise nothing: whether they come too fast for one partition is counted', () => {
  const hours = keysOf(
    300,
    (at) => [`2026-01-31T${String(Math.floor(at / 20)).padStart(2, '0')}`, letters(at)] as const,
  );
  expect(found((coach) => insert(coach, hours))).toEqual([]);
});

describe('Row keys that end in numbers', () => {
  const numbersOf = (count: number, first = 1) => keysOf(count, (at) => ['p', String(at + first)] as const);
  const readAs = (filter: string, keys: ReturnType<typeof numbersOf>) =>
    found((coach) => {
      insert(coach, keys);
      coach.shapes.observe(observedPage(filter));
    });
  const fromNumber = "PartitionKey eq 'p' and RowKey ge '1'";

  it('raise unpadded-keys if ten of them have different lengths and a query begins or ends at a number', () => {
    expect(readAs(fromNumber, numbersOf(10))).toEqual(['unpadded-keys warn']);
    expect(readAs("PartitionKey eq 'p' and RowKey lt '20'", numbersOf(10))).toEqual(['unpadded-keys warn']);
    expect(readAs(fromNumber, numbersOf(9, 2))).toEqual([]);
    expect(
      readAs(
        fromNumber,
        keysOf(50, (at) => ['p', String(at).padStart(4, '0')] as const),
      ),
    ).toEqual([]);
  });

  it('raise nothing in a key-value store, which reads by key, or all keys with a prefix', () => {
    const users = keysOf(12, (at) => ['cache', `user:${at}`] as const);
    expect(readAs("PartitionKey eq 'cache' and RowKey eq 'user:7'", users)).toEqual([]);
    expect(readAs("PartitionKey eq 'cache' and RowKey ge 'user:' and RowKey lt 'user;'", users)).toEqual([]);
  });

  it('raise nothing for UUIDs, hexadecimal numbers and times', () => {
    const uuids = keysOf(50, (at) => [
      'p',
      `0b8ee1f9-6b6e-4a5b-9f4e-${(1_000_000 + at * 7919).toString(16).padStart(12, 'a')}`,
    ]);
    const hex = keysOf(50, (at) => ['p', (1_000_000 + at * 7919).toString(16)]);
    const isTime = keysOf(50, (at) => ['p', `2026-01-31T10:00:${String(at).padStart(2, '0')}Z`]);
    for (const keys of [uuids, hex, isTime]) expect(found((coach) => insert(coach, keys))).toEqual([]);
  });
});

describe('Deletions', () => {
  const remove = (count: number, ms: number, { partitions = 1, isTransaction = false, scans = false } = {}) =>
    found((coach) => {
      if (scans) coach.shapes.observe(observedPage("PartitionKey eq 'p' and Age gt 5"));
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
      coach.shapes.observe(observedPage("PartitionKey eq 'p' and Age gt 5"));
      for (let from = 0; from < thresholds.scannedDeletes * 2; from += 100) {
        const rows = Array.from({ length: 100 }, (_, at) => letters(from + at));
        coach.tables.observe(
          observedWrite(
            rows.map((rowKey) => ({ kind: 'delete', key: { partitionKey: `p${from}`, rowKey }, ifMatch: '*' })),
          ),
        );
      }
    });
    expect(inTransactions).toEqual(['partition-scan/properties-only info']);
  });

  it('that a scan has found name the first and the last of them, and not another write of the table', () => {
    const coach = new Coach();
    coach.shapes.observe(observedPage("PartitionKey eq 'p' and Age gt 5"));
    coach.tables.observe(observedWrite([insertOf('p', 'before')], { requestId: 'before' }));
    for (let at = 0; at < thresholds.scannedDeletes; at++) {
      const key = { partitionKey: `p${at}`, rowKey: 'r' };
      coach.tables.observe(observedWrite([{ kind: 'delete', key, ifMatch: '*' }], { requestId: `delete ${at}` }));
    }
    coach.tables.observe(observedWrite([insertOf('p', 'after')], { requestId: 'after' }));
    expect(coach.findings(0).find(({ rule }) => rule === 'single-writes')).toMatchObject({
      ...{ calls: thresholds.scannedDeletes, firstRequest: 'delete 0' },
      worstRequest: `delete ${thresholds.scannedDeletes - 1}`,
    });
  });

  it('of what a scan finds raise single-writes/deletes from 1,000', () => {
    const scan = 'partition-scan/properties-only info';
    expect(remove(thresholds.scannedDeletes, 1e9, { partitions: 20, scans: true })).toEqual([
      ...['single-writes/deletes info', scan],
    ]);
    expect(remove(thresholds.scannedDeletes - 1, 1e9, { partitions: 20, scans: true })).toEqual([scan]);
    expect(remove(thresholds.scannedDeletes, 1e9, { partitions: 20 })).toEqual([]);
  });
});

describe('A write near a limit', () => {
  const property = (type: 'Edm.String' | 'Edm.Binary', bytes: number, name = 'P'): Property => ({
    ...{ name, type, json: '""' },
    valueBytes: bytes + 4,
  });
  const write = (properties: readonly Property[], { bytes = 4 * 1024 * 1024, rowKey = 'r' } = {}) =>
    found((coach) => {
      const change: Change = { kind: 'insert', key: { partitionKey: 'p', rowKey }, properties };
      coach.tables.observe(observedWrite([change], { bytes }));
    });
  const many = (count: number) => Array.from({ length: count }, (_, at) => property('Edm.String', 2, `P${at}`));
  const kib = 1024;

  it('raises near-limit from 80 %', () => {
    expect(write(many(202))).toEqual(['near-limit/properties warn']);
    expect(write(many(201))).toEqual([]);
    expect(write([property('Edm.String', Math.ceil(51.2 * kib))])).toEqual(['near-limit/value warn']);
    expect(write([property('Edm.String', 51 * kib)])).toEqual([]);
    expect(write([property('Edm.Binary', Math.ceil(51.2 * kib))])).toEqual(['near-limit/value warn']);
    expect(write([property('Edm.Binary', 51 * kib)])).toEqual([]);
    expect(write([], { rowKey: 'r'.repeat(410) })).toEqual(['near-limit/key warn']);
    expect(write([], { rowKey: 'r'.repeat(409) })).toEqual([]);
    const large = (count: number) => Array.from({ length: count }, (_, at) => property('Edm.String', 40_000, `P${at}`));
    expect(write(large(21))).toEqual(['near-limit/entity warn']);
    expect(write(large(20))).toEqual([]);
  });

  it('raises a near-limit that is not a warning for a large transaction', () => {
    const batch = (bytes: number) =>
      found((coach) => coach.tables.observe(observedWrite([insertOf('p', 'a'), insertOf('p', 'b')], { bytes })));
    expect(batch(Math.ceil(3.2 * kib * kib))).toEqual(['near-limit/transaction info']);
    expect(batch(3.1 * kib * kib)).toEqual([]);
  });
});
