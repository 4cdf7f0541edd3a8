import { describe, expect, it } from 'vitest';
import type { Change } from '../../../../src/entity/stored/change.js';
import { Coach } from '../../../../src/insight/coach/coach.js';
import { nameOf } from '../../../../src/insight/rules/rule.js';
import { thresholds } from '../../../../src/insight/rules/thresholds.js';
import { insertOf, observedPage, observedRequest, observedWrite } from '../../../support/clients/observed-request.js';

/** The connection of all requests that name no other. */
let connection = {};

const found = (act: (coach: Coach) => void) => {
  const coach = new Coach();
  connection = {};
  act(coach);
  return coach.findings(0).map((finding) => `${nameOf(finding)} ${finding.severity} ${finding.calls}`);
};

const padded = (row: number) => String(row).padStart(4, '0');

describe('Reads of single entities of a partition', () => {
  const read = (coach: Coach, rows: readonly string[], change: object = {}) => {
    for (const [at, row] of rows.entries())
      coach.steps.readPoint(observedRequest({ at, connection, ...change }), 'p', row);
  };
  const rows = (count: number) => Array.from({ length: count }, (_, at) => padded(at));

  it('raise n+1/sequence when ten are read one after the other', () => {
    expect(found((coach) => read(coach, rows(10)))).toEqual(['n+1/sequence info 10']);
    expect(found((coach) => read(coach, rows(9)))).toEqual([]);
    expect(found((coach) => read(coach, rows(45)))).toEqual(['n+1/sequence info 40']);
  });

  it('raise n+1/sequence with a warning if a query of the partition came before and read few more', () => {
    const afterQuery = (read: number) => (coach: Coach) => {
      coach.steps.query(observedPage("PartitionKey eq 'p'", { read, connection }));
      for (const row of 'qwertzuiop') coach.steps.readPoint(observedRequest({ connection }), 'p', row);
    };
    expect(found(afterQuery(20))).toEqual(['n+1/sequence warn 10']);
    expect(found(afterQuery(21))).toEqual(['n+1/sequence info 10']);
  });

  it('raise nothing if they take longer than two seconds', () => {
    const slowly = (ms: number) => (coach: Coach) => {
      for (const [at, row] of rows(10).entries()) {
        coach.steps.readPoint(observedRequest({ at: (at * ms) / 9, connection }), 'p', row);
      }
    };
    expect(found(slowly(thresholds.pointReadsMs))).toEqual(['n+1/sequence info 10']);
    expect(found(slowly(thresholds.pointReadsMs + 1))).toEqual([]);
  });

  it('raise nothing if they are sent in parallel on several connections', () => {
    const connections = [{}, {}, {}];
    const parallel = (coach: Coach) => {
      for (const row of rows(60)) {
        const one = connections[Number(row) % 3] ?? connection;
        coach.steps.readPoint(observedRequest({ connection: one }), 'p', row);
      }
    };
    expect(found(parallel)).toEqual([]);
  });

  it('start again after a clear', () => {
    const cleared = (coach: Coach) => {
      const socket = {};
      for (const row of rows(18)) {
        coach.steps.readPoint(observedRequest({ connection: socket }), 'p', row);
        if (row === padded(8)) coach.clear();
      }
    };
    expect(found(cleared)).toEqual([]);
  });

  it('raise nothing in several partitions, of one entity, or with other requests between', () => {
    const partitions = (coach: Coach) => {
      for (const row of rows(20)) coach.steps.readPoint(observedRequest({ connection }), row, row);
    };
    const between = (coach: Coach) => {
      for (const row of rows(20)) {
        read(coach, [row]);
        coach.steps.query(observedPage("PartitionKey eq 'p'", { connection }));
      }
    };
    expect(found(partitions)).toEqual([]);
    expect(found(between)).toEqual([]);
    expect(found((coach) => read(coach, Array(20).fill('r')))).toEqual([]);
  });
});

describe('Single writes to a partition', () => {
  const write = (coach: Coach, changes: readonly Change[], ms = 0, change: object = {}) => {
    for (const [at, one] of changes.entries()) {
      coach.steps.write(observedWrite([one], { at: (at * ms) / (changes.length - 1), connection, ...change }));
    }
  };
  const inserts = (count: number) => Array.from({ length: count }, (_, at) => insertOf('p', padded(at)));

  it('raise single-writes/writes when twenty come one after the other within a second', () => {
    expect(found((coach) => write(coach, inserts(20), thresholds.singleWritesMs))).toEqual([
      'single-writes/writes info 20',
    ]);
    expect(found((coach) => write(coach, inserts(19), thresholds.singleWritesMs))).toEqual([]);
    expect(found((coach) => write(coach, inserts(20), thresholds.singleWritesMs + 1))).toEqual([]);
  });

  it('raise nothing for one entity, transactions, several partitions, upserts, or parallel writes', () => {
    const merge: Change = { kind: 'merge', key: { partitionKey: 'p', rowKey: 'r' }, properties: [], ifMatch: '*' };
    expect(found((coach) => write(coach, Array(40).fill(merge)))).toEqual([]);
    // A key-value store does not know what comes next.
    const upserts = Array.from({ length: 40 }, (_, at): Change => {
      return { kind: 'replace', key: { partitionKey: 'p', rowKey: padded(at) }, properties: [], ifMatch: undefined };
    });
    expect(found((coach) => write(coach, upserts))).toEqual([]);
    expect(found((coach) => write(coach, inserts(40), 0, { isTransaction: true }))).toEqual([]);
    const spread = Array.from({ length: 40 }, (_, at) => insertOf(padded(at), 'r'));
    expect(found((coach) => write(coach, spread))).toEqual([]);
    const two = [{}, {}];
    const parallel = (coach: Coach) => {
      for (const [at, one] of inserts(80).entries())
        write(coach, [one], 0, { at: 0, connection: two[at % 2] ?? connection });
    };
    expect(found(parallel)).toEqual([]);
  });
});

describe('A write of an entity that was just read', () => {
  const key = { partitionKey: 'p', rowKey: 'r' };
  const merge = (ifMatch: string | undefined): Change => ({ kind: 'merge', key, properties: [], ifMatch });
  const readAndWrite = (times: number, change: Change, ms = 0) =>
    found((coach) => {
      for (let time = 0; time < times; time++) {
        coach.steps.readPoint(observedRequest({ connection }), 'p', 'r');
        coach.steps.write(observedWrite([change], { at: ms, connection }));
      }
    });

  it('raises read-before-write at the third time, unless it names the ETag', () => {
    expect(readAndWrite(3, merge(undefined))).toEqual(['read-before-write info 3']);
    expect(readAndWrite(5, merge('*'))).toEqual(['read-before-write info 5']);
    expect(readAndWrite(thresholds.readsBeforeWriteWarn, merge('*'))).toEqual(['read-before-write warn 20']);
    expect(readAndWrite(2, merge('*'))).toEqual([]);
    expect(readAndWrite(9, merge('W/"tag"'))).toEqual([]);
  });

  it('raises nothing for an insert, which is how a program gets or creates an entity', () => {
    expect(readAndWrite(3, insertOf('p', 'r'))).toEqual([]);
  });

  it('raises nothing more than a second later, for another entity, or for a deletion', () => {
    expect(readAndWrite(3, merge('*'), thresholds.readBeforeWriteMs)).toEqual(['read-before-write info 3']);
    expect(readAndWrite(3, merge('*'), thresholds.readBeforeWriteMs + 1)).toEqual([]);
    expect(readAndWrite(3, insertOf('p', 'another'))).toEqual([]);
    expect(readAndWrite(3, { kind: 'delete', key, ifMatch: '*' })).toEqual([]);
  });
});
