import { describe, expect, it } from 'vitest';
import { Coach } from '../../../src/insight/coach/coach.js';
import type { ObservedQuery } from '../../../src/insight/coach/observation.js';
import { nameOf } from '../../../src/insight/rules/rule.js';
import { rules } from '../../../src/insight/rules/rules.js';
import { thresholds } from '../../../src/insight/rules/thresholds.js';
import { observedPage as page, observedRequest as request } from '../../support/clients/observed-request.js';

/** Returns the rules and severities that these pages raise. */
function found(...pages: readonly ObservedQuery[]): readonly string[] {
  const coach = new Coach();
  for (const one of pages) coach.shapes.observe(one);
  return coach.findings(0).map((finding) => `${nameOf(finding)} ${finding.severity}`);
}

/** A partition that is listed. */
const list = (count: number, change: Partial<ObservedQuery> = {}) =>
  page("PartitionKey eq 'p'", { read: count, returned: count, bytes: count * 300, ...change });

const times = (count: number, one: ObservedQuery) => Array.from({ length: count }, () => one);
const scan = "Name eq 'x'";
const inPartition = "PartitionKey eq 'p' and Name eq 'x'";

describe('A query', () => {
  it.each<[string, readonly ObservedQuery[], readonly string[]]>([
    ['of a point', times(50, page("PartitionKey eq 'p' and RowKey eq 'r'")), []],
    ['of a range of rows', times(50, page("PartitionKey eq 'p' and RowKey ge 'a'", { read: 900, returned: 900 })), []],
    // How much of a table is read.
    [
      'that scans a page of a table',
      [page(scan, { read: thresholds.tableScanWarn - 1 })],
      ['table-scan/properties-only info'],
    ],
    [
      'that scans more than a page of a table',
      [page(scan, { read: thresholds.tableScanWarn })],
      ['table-scan/properties-only warn'],
    ],
    [
      'that scans just less than 10,000',
      [page(scan, { read: thresholds.tableScanSerious - 1 })],
      ['table-scan/properties-only warn'],
    ],
    ['that scans 10,000', [page(scan, { read: thresholds.tableScanSerious })], ['table-scan/properties-only serious']],
    [
      'that scans on two pages',
      [page(scan, { read: 500 }), page(scan, { read: 500, startRow: 'r' })],
      ['table-scan/properties-only warn'],
    ],
    [
      'that scans 500 twice',
      [page(scan, { read: 500 }), page(scan, { read: 500 })],
      ['table-scan/properties-only info'],
    ],
    ['that reads a small table whole', [page('', { read: 999, returned: 999 })], ['table-scan/unfiltered info']],
    [
      'that reads a table whole that is not small',
      [page('', { read: 1000, returned: 1000 })],
      ['table-scan/unfiltered warn'],
    ],
    ['of the first entity of a table', times(9, page('', { rowsMax: 1 })), []],
    [
      'of the first ten entities of a table',
      times(9, page('', { rowsMax: 10, hasTop: true, read: 10, returned: 10 })),
      [],
    ],
    [
      'of ten that match in a table',
      times(9, page(scan, { rowsMax: 10, hasTop: true, read: 90, returned: 10 })),
      ['table-scan/properties-only info'],
    ],
    ['that no entity can match', times(9, page('false', { read: 0 })), []],
    // How much of what is read matches.
    [
      'with 10 % that match',
      times(3, page(inPartition, { read: 100, returned: 10 })),
      ['partition-scan/properties-only warn'],
    ],
    [
      'with more than 10 % that match',
      times(3, page(inPartition, { read: 100, returned: 11 })),
      ['partition-scan/properties-only info'],
    ],
    [
      'with 1 % that match',
      times(3, page(inPartition, { read: 100, returned: 1 })),
      ['partition-scan/properties-only serious'],
    ],
    [
      'with 1 % that match, twice',
      times(2, page(inPartition, { read: 100, returned: 1 })),
      ['partition-scan/properties-only info'],
    ],
    [
      'with 1 % of fewer than 100',
      times(3, page(inPartition, { read: 99, returned: 0 })),
      ['partition-scan/properties-only info'],
    ],
    ['of a range of partitions', times(3, page("PartitionKey ge 'a'", { read: 100, returned: 100 })), []],
    [
      'of a row in a range of partitions',
      times(3, page("PartitionKey ge 'a' and RowKey eq 'r'", { read: 100, returned: 1 })),
      ['partition-scan/range serious'],
    ],
    // What the keys in the filter do.
    [
      'with or over keys',
      [page("PartitionKey eq 'p' and (RowKey eq '1' or RowKey eq '2')")],
      ['partition-scan/or-keys warn'],
    ],
    ['with or over properties', [page("PartitionKey eq 'p' and RowKey ge '1' and (A eq 1 or A eq 2)")], []],
    [
      'with ne on a row key',
      [page("PartitionKey eq 'p' and RowKey ne 'r'", { read: 101, returned: 100 })],
      ['partition-scan/unequal-key warn'],
    ],
    ['with ne within a range of rows', [page("PartitionKey eq 'p' and RowKey gt 'a' and RowKey ne 'r'")], []],
    [
      'with ne in a small partition',
      [page("PartitionKey eq 'p' and RowKey ne 'r'", { read: 100, returned: 99 })],
      ['partition-scan/unequal-key info'],
    ],
    ['with not around a partition key', [page("not (PartitionKey eq 'p')")], ['table-scan/unequal-key warn']],
    ['with a row key alone', [page("RowKey eq 'r'")], ['table-scan/rowkey-only warn']],
    ['with a row key alone over 10,000', [page("RowKey eq 'r'", { read: 10_000 })], ['table-scan/rowkey-only serious']],
    ['with or over two partitions', [page("PartitionKey eq 'p' or PartitionKey eq 'q'")], ['table-scan/or-keys warn']],
    ['with or over a key and a property', [page("PartitionKey eq 'p' or A eq 1")], ['table-scan/open-keys info']],
    ['with a key that is a number', [page('PartitionKey eq 5', { read: 0 })], ['type-mismatch/key warn']],
    ['with Timestamp alone', [page("Timestamp gt datetime'2026-01-01T00:00:00Z'")], ['table-scan/timestamp-only warn']],
    // What is sent for each entity.
    [
      'of large entities',
      times(100, page("PartitionKey eq 'p'", { read: 10, returned: 10, bytes: 10_486 })),
      ['wide-read/no-select info'],
    ],
    ['of 9 large entities', times(100, page("PartitionKey eq 'p'", { read: 9, returned: 9, bytes: 10_486 })), []],
    ['of small entities', times(200, page("PartitionKey eq 'p'", { read: 10, returned: 10, bytes: 10_239 })), []],
    ['of less than 1 MiB', times(99, page("PartitionKey eq 'p'", { read: 10, returned: 10, bytes: 10_240 })), []],
    [
      'of large entities with $select',
      times(100, page("PartitionKey eq 'p'", { read: 10, returned: 10, bytes: 10_486, hasSelect: true })),
      [],
    ],
    ['of 100 entities with full metadata', [list(100, { hasFullMetadata: true })], ['wide-read/full-metadata info']],
    ['of 99 entities with full metadata', [list(99, { hasFullMetadata: true })], []],
    // How long the filter is.
    [
      'with 15 comparisons',
      [page(`PartitionKey eq 'p' and ${comparisons(14)}`)],
      ['partition-scan/properties-only info'],
    ],
    [
      'with 16 comparisons',
      [page(`PartitionKey eq 'p' and ${comparisons(15)}`)],
      ['near-limit/comparisons warn', 'partition-scan/properties-only info'],
    ],
  ])('%s raises the findings', (_what, pages, expected) => {
    expect(found(...pages)).toEqual(expected);
  });

  const ignore = (count: number, change: Partial<ObservedQuery> = {}) =>
    times(count, list(500, { continues: true, ...change }));
  const foundAt = (now: number, pages: readonly ObservedQuery[]) => {
    const coach = new Coach();
    for (const one of pages) coach.shapes.observe(one);
    return coach.findings(now).map((finding) => `${nameOf(finding)} ${finding.severity}`);
  };

  it('whose tokens are ignored 3 times for 10 seconds raises ignored-token', () => {
    expect(foundAt(thresholds.tokenMs, ignore(3))).toEqual(['ignored-token warn']);
    expect(foundAt(thresholds.tokenMs - 1, ignore(3))).toEqual([]);
    expect(foundAt(thresholds.tokenMs, ignore(2))).toEqual([]);
    expect(foundAt(Number.POSITIVE_INFINITY, ignore(3))).toEqual(['ignored-token warn']);
    expect(foundAt(thresholds.tokenMs, ignore(3, { hasTop: true }))).toEqual([]);
    expect(foundAt(thresholds.tokenMs, [...ignore(3), ...times(3, list(5, { startRow: 'r' }))])).toEqual([]);
  });

  it('whose token is ignored after an empty page raises ignored-token at once', () => {
    expect(foundAt(thresholds.tokenMs, ignore(1, { returned: 0 }))).toEqual(['ignored-token serious']);
    expect(foundAt(thresholds.tokenMs, [...ignore(1, { returned: 0 }), list(5, { startRow: 'r' })])).toEqual([]);
  });

  it('is counted for each account, because two may have tables of the same name', () => {
    const coach = new Coach();
    for (const account of ['one', 'two', 'one']) coach.shapes.observe(page(scan, { account }));
    expect(coach.shapes.usages().map(({ calls }) => calls)).toEqual([2, 1]);
  });

  it('has a finding with its numbers, the request that read most, and the marks', () => {
    const coach = new Coach();
    coach.shapes.observe(page(scan, { requestId: 'first', mark: 'a test', read: 2, returned: 1 }));
    coach.shapes.observe(page(scan, { requestId: 'worst', mark: 'another', read: 9, returned: 0 }));
    coach.shapes.observe(page(scan, { requestId: 'last', read: 3, returned: 0 }));
    const { finds: _finds, ...words } = rules['table-scan/properties-only'];
    expect(coach.findings(0)).toEqual([
      {
        ...words,
        ...{ rule: 'table-scan', cause: 'properties-only' },
        severity: 'info',
        account: 'account',
        table: 'People',
        shape: 'people where Name eq ?',
        class: 'table-scan',
        calls: 3,
        read: 14,
        returned: 1,
        firstRequest: 'first',
        worstRequest: 'worst',
        marks: ['a test', 'another'],
        example: scan,
      },
    ]);
  });

  it('with or over keys has the queries to send instead', () => {
    const coach = new Coach();
    coach.shapes.observe(page("PartitionKey eq 'p' and (RowKey eq '1' or RowKey eq '2')"));
    expect(coach.findings(0).map(({ rewritten }) => rewritten)).toEqual([
      ["PartitionKey eq 'p' and RowKey eq '1'", "PartitionKey eq 'p' and RowKey eq '2'"],
    ]);
  });

  it('ranks findings by severity, then by what was read in vain', () => {
    const coach = new Coach();
    coach.shapes.observe(page("A eq 'x'", { read: 10 }));
    coach.shapes.observe(page("B eq 'x'", { read: 20 }));
    coach.shapes.observe(page("C eq 'x'", { read: 20_000 }));
    coach.shapes.observe(page("RowKey eq 'x'"));
    expect(coach.findings(0).map(({ shape }) => shape)).toEqual([
      'people where C eq ?',
      'people where RowKey eq ?',
      'people where B eq ?',
      'people where A eq ?',
    ]);
  });
});

function comparisons(count: number): string {
  return Array.from({ length: count }, (_, at) => `P${at} eq 1`).join(' and ');
}

describe('Operations', () => {
  const habits = (act: (coach: Coach) => void) => {
    const coach = new Coach();
    act(coach);
    return coach.findings(0).map((finding) => `${nameOf(finding)} ${finding.severity} ${finding.calls}`);
  };
  const write = (count: number, failed: number) =>
    habits(({ habits }) => {
      for (let at = 0; at < count; at++) habits.writeConditional(request({ status: at >= count - failed ? 412 : 204 }));
    });

  it('that write with an ETag and fail in a fifth of 20 raise contention', () => {
    expect(write(20, 4)).toEqual(['contention warn 4']);
    expect(write(20, 3)).toEqual([]);
    expect(write(19, 4)).toEqual([]);
  });

  it('that write with an ETag to tables of the same name in two accounts are counted for each', () => {
    const both = habits(({ habits }) => {
      for (let at = 0; at < 20; at++) {
        habits.writeConditional(request({ account: at < 10 ? 'one' : 'two', status: 412 }));
      }
    });
    expect(both).toEqual([]);
  });

  const create = (count: number, ms: number) =>
    habits(({ habits }) => {
      for (let at = 0; at < count; at++) habits.rejectCreation(request({ at: (at * ms) / (count - 1), status: 409 }));
    });

  it('that create a table which exists, 20 times in a minute, raise table-churn/create-again', () => {
    const { rejectedCreations, rejectedCreationsMs } = thresholds;
    expect(create(rejectedCreations, rejectedCreationsMs - 1)).toEqual(['table-churn/create-again info 20']);
    expect(create(rejectedCreations, rejectedCreationsMs)).toEqual([]);
    expect(create(rejectedCreations - 1, rejectedCreationsMs - 1)).toEqual([]);
  });

  it('that create tables which exist raise nothing when each test does it once', () => {
    const suite = habits(({ habits }) => {
      for (let test = 0; test < 2 * thresholds.rejectedCreations; test++)
        habits.rejectCreation(request({ status: 409, mark: `test ${test}` }));
    });
    expect(suite).toEqual([]);
  });

  it('that create tables which exist raise nothing when each of several clients does it once for each table', () => {
    const silos = habits(({ habits }) => {
      for (let silo = 0; silo < 5; silo++) {
        for (const table of ['Silos', 'Grains', 'Reminders', 'Directory', 'PubSub'])
          habits.rejectCreation(request({ table, status: 409 }));
      }
    });
    expect(silos).toEqual([]);
  });

  const reuse = (ms: number, change: object = {}) =>
    habits(({ habits }) => {
      habits.deleteTable(request({ at: 0 }));
      habits.createTable(request({ at: ms, ...change }));
    });

  it('that create a table within 40 seconds after it was deleted raise table-churn/name-reuse', () => {
    expect(reuse(thresholds.nameReuseMs - 1)).toEqual(['table-churn/name-reuse info 1']);
    expect(reuse(thresholds.nameReuseMs)).toEqual([]);
    expect(reuse(1, { table: 'people' })).toEqual(['table-churn/name-reuse info 1']);
    expect(reuse(1, { table: 'Other' })).toEqual([]);
    expect(reuse(1, { account: 'another' })).toEqual([]);
  });

  it('that are rejected for a form of another language raise rejected-filter', () => {
    const rejection = {
      ...request({ status: 501 }),
      filter: "startswith(A,'x')",
      cause: 'filter-startswith',
      explanation: 'No.',
    };
    expect(habits(({ habits }) => habits.rejectFilter(rejection))).toEqual(['rejected-filter warn 1']);
  });

  it('are forgotten by a clear', () => {
    const coach = new Coach();
    coach.shapes.observe(page(scan));
    coach.habits.rejectFilter({ ...request(), filter: 'x', cause: 'y', explanation: 'z' });
    expect(coach.findings(0)).toHaveLength(2);
    coach.clear();
    expect(coach.findings(0)).toEqual([]);
  });
});
