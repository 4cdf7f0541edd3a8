import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBudget } from '../../../src/commands/read-budget.js';
import { writeBaseline } from '../../../src/insight/budget/baseline.js';
import { budgetMetrics } from '../../../src/insight/budget/budget-metrics.js';
import { Coach } from '../../../src/insight/coach.js';
import type { Finding } from '../../../src/insight/finding.js';
import {
  budgetSentence,
  judgeRun,
  noRequests,
  type RunNumbers,
  type RunRules,
} from '../../../src/insight/report/coach-report.js';
import { writeHtml } from '../../../src/insight/report/write-html.js';
import { writeMarkdown } from '../../../src/insight/report/write-markdown.js';
import { writeSarif } from '../../../src/insight/report/write-sarif.js';
import { observedPage, observedRequest } from '../../support/observed-request.js';

/** Returns what a coach has counted of a program that uses each kind of query once. */
function numbersOf(act: (coach: Coach) => void): RunNumbers {
  const coach = new Coach();
  act(coach);
  return {
    usage: { transactions: 20, scanned: 100, returned: 25 },
    findings: coach.findings(0),
    queries: coach.shapes.usages(),
    ...{ skippedRequests: 0, forgottenShapes: 0 },
  };
}

const usual = numbersOf(({ shapes, habits }) => {
  for (const filter of [
    "PartitionKey eq 'p' and RowKey eq 'r'",
    "PartitionKey eq 'p' and RowKey ge 'r'",
    "PartitionKey ge 'p'",
    "PartitionKey eq 'p' and (RowKey eq 'a' or RowKey eq 'b')",
    "RowKey eq 'r'",
    "Name eq 'x'",
  ]) {
    shapes.observe(observedPage(filter, { requestId: filter, mark: 'test/people.test.ts > finds', read: 3 }));
  }
  shapes.observe(observedPage("PartitionKey eq 'p'", { read: 5, returned: 5 }));
  shapes.observe(observedPage("PartitionKey eq 'p' and Age gt 5", { read: 5, returned: 1, continues: true }));
  shapes.observe(observedPage("PartitionKey eq 'p' and Age gt 5", { read: 5, returned: 1, startRow: 'r' }));
  shapes.observe(observedPage("PartitionKey eq 'p' and Age lt 5", { rowsMax: 10 }));
  habits.refuseFilter({ ...observedRequest(), filter: "startswith(A,'x')", cause: 'filter-startswith' });
});

const none: RunRules = { limits: [], suppressions: [], known: undefined };
const budgetOf = (text: string, numbers = usual) =>
  judgeRun(numbers, { ...none, limits: readBudget(text) }).budget.map(({ actual, isBroken }) => [actual, isBroken]);

describe('A budget', () => {
  it.each([
    ['table-scan', 2],
    ['partition-range', 1],
    ['partition-scan', 2],
    ['or-keys', 1],
    ['ne-keys', 0],
    ['rowkey-only', 1],
    ['properties-only', 1],
    ['scanned', 100],
    ['transactions', 20],
    ['findings', 3],
    ['findings.warn', 3],
    ['findings.serious', 0],
    ['findings.info', 1],
    ['R3', 1],
    ['n+1', 0],
  ])('counts %s: %i', (name, count) => {
    expect(budgetOf(`${name}=${count}`)).toEqual([[count, false]]);
    if (count > 0) expect(budgetOf(`${name}=${count - 1}`)).toEqual([[count, true]]);
  });

  it('has a least number, too', () => {
    expect(budgetOf('density>=0.25,density>=0.26'.split(',')[0] ?? '')).toEqual([[0.25, false]]);
    expect(budgetOf('density>=0.26')).toEqual([[0.25, true]]);
  });

  it('names the query that has most of what is too much', () => {
    const [line] = judgeRun(usual, { ...none, limits: readBudget('rowkey-only=0') }).budget;
    expect(line?.blamed).toMatchObject({
      ...{ count: 1, shape: 'people where RowKey eq ?', table: 'People', firstRequest: "RowKey eq 'r'" },
      marks: ['test/people.test.ts > finds'],
    });
  });

  it('is broken without a request, unless it limits their number itself', () => {
    const untouched = numbersOf(() => {});
    const nothing = { ...untouched, usage: { transactions: 0, scanned: 0, returned: 0 } };
    const judge = (rules: Partial<RunRules>) => judgeRun(nothing, { ...none, ...rules });

    const { isBroken, budget } = judge({ limits: readBudget('table-scan=0') });
    expect(isBroken).toBe(true);
    expect(budget.filter((line) => line.isBroken).map(budgetSentence)).toEqual([noRequests]);
    expect(judge({ known: [] }).isBroken).toBe(true);
    expect(judge({ limits: readBudget('transactions=0') }).isBroken).toBe(false);
    expect(judge({}).budget).toEqual([]);
  });

  it('names every metric once', () => {
    const names = budgetMetrics.map(({ name }) => name);
    expect([...new Set(names)]).toEqual(names);
  });
});

describe('A suppression', () => {
  const suppress = (suppression: object) =>
    judgeRun(usual, {
      ...none,
      limits: readBudget('R5=0,rowkey-only=0'),
      suppressions: [{ rule: 'R5', why: 'rare', ...suppression }],
    });

  it('takes a finding and its query out of the budget, and keeps the reason', () => {
    const report = suppress({ table: 'PEOPLE' });
    expect(report.isBroken).toBe(false);
    expect(report.suppressed).toMatchObject([{ why: 'rare', finding: { rule: 'R5' } }]);
    expect(report.findings.map(({ rule }) => rule)).not.toContain('R5');
    expect(report.unused).toEqual([]);
  });

  it.each([{ table: 'Other' }, { shape: 'people' }, { rule: 'R27' }])(
    'that is %j matches nothing, and is told',
    (one) => {
      const report = suppress(one);
      expect(report.isBroken).toBe(true);
      expect(report.suppressed).toEqual([]);
      expect(report.unused).toHaveLength(1);
    },
  );
});

describe('A suppression of a query without a finding', () => {
  // A small table that is read whole once is not found, and neither is a small partition.
  const small = numbersOf(({ shapes }) => {
    shapes.observe(observedPage('', { read: 5, returned: 5 }));
    shapes.observe(observedPage("PartitionKey eq 'p' and Age gt 5", { read: 5, returned: 1 }));
  });
  const judge = (limit: string, suppression: object) =>
    judgeRun(small, {
      ...none,
      limits: readBudget(`${limit}=0`),
      suppressions: [{ rule: 'R1', why: 'small', ...suppression }],
    });

  it.each([
    ['table-scan', { rule: 'R1', table: 'PEOPLE' }],
    ['unfiltered', { rule: 'R1', shape: 'people' }],
    ['partition-scan', { rule: 'R2' }],
  ])('satisfies %s by %j, and is used', (limit, suppression) => {
    expect(small.findings).toEqual([]);
    const { isBroken, unused, budget } = judge(limit, suppression);
    expect([isBroken, unused, budget[0]?.actual]).toEqual([false, [], 0]);
  });

  it.each([
    ['table-scan', { table: 'Other' }],
    ['table-scan', { shape: 'people where Age gt ?' }],
    ['table-scan', { rule: 'R7' }],
    ['partition-scan', { rule: 'R11' }],
  ])('does not satisfy %s by %j', (limit, suppression) => {
    expect(judge(limit, suppression).isBroken).toBe(true);
  });
});

describe('A limit', () => {
  const large = { read: 10_000, returned: 2_000, bytes: 4_000_000 };
  const numbers = numbersOf(({ shapes }) => {
    shapes.observe(observedPage("RowKey eq 'r'", large));
    shapes.observe(observedPage("PartitionKey eq 'p' and (RowKey eq 'a' or RowKey eq 'b')", large));
  });
  const actualOf = (name: string, ...accepted: readonly string[]) => {
    const suppressions = accepted.map((rule) => ({ rule, why: 'accepted' }));
    return judgeRun(numbers, { ...none, limits: readBudget(`${name}=0`), suppressions }).budget[0]?.actual;
  };

  it('counts a query of which only something else is accepted', () => {
    expect(numbers.findings.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['R1', 'R3', 'R5', 'R7']));
    for (const name of ['table-scan', 'rowkey-only', 'or-keys', 'partition-scan']) {
      expect([name, actualOf(name, 'R7')]).toEqual([name, 1]);
    }
  });

  it.each([
    ['rowkey-only', ['R5']],
    ['or-keys', ['R3']],
    ['partition-scan', ['R3']],
    ['table-scan', ['R1', 'R5']],
  ])('%s does not count a query of which %j is accepted', (name, accepted) => {
    expect(actualOf(name, ...accepted)).toBe(0);
  });

  it('counts a query as long as one finding that it is about is not accepted', () => {
    expect(actualOf('table-scan', 'R5')).toBe(1);
    expect(actualOf('table-scan', 'R1')).toBe(1);
  });
});

describe('A baseline', () => {
  it('accepts what was found before, and nothing else', () => {
    const known = JSON.parse(writeBaseline(usual.findings)).findings;
    const accepted = judgeRun(usual, { ...none, known, limits: readBudget('rowkey-only=0,findings=0') });
    expect(accepted.isBroken).toBe(false);
    expect(accepted.known.length).toBeGreaterThan(3);

    const fresh = numbersOf(({ shapes }) => shapes.observe(observedPage("not (RowKey eq 'r')")));
    const report = judgeRun(fresh, { ...none, known });
    expect(report.isBroken).toBe(true);
    expect(report.budget).toMatchObject([
      { name: 'number of new findings', isBroken: true, blamed: { table: 'People' } },
    ]);
  });

  it('is the same text whatever the order, and has no numbers of a run', () => {
    const reversed = [...usual.findings].reverse().map((finding) => ({ ...finding, calls: 99, firstRequest: 'other' }));
    expect(writeBaseline(reversed)).toBe(writeBaseline(usual.findings));
    expect(JSON.parse(writeBaseline([]))).toEqual({ findings: [] });
  });
});

const hostile = '<img src=x onerror=alert(1)>|`[x](y)\n# "\'&*_\u2028\ud800';
const report = (text: string) => {
  const one = usual.findings[0] as Finding;
  const finding = {
    ...one,
    table: text,
    shape: text,
    example: text,
    rewritten: [text],
    marks: [text],
    firstRequest: text,
  };
  const rules = { ...none, limits: readBudget('findings=0'), suppressions: [{ rule: 'R1', why: text, table: 'none' }] };
  return judgeRun({ ...usual, findings: [finding] }, rules);
};

describe('A report', () => {
  it('as HTML has no element of a request, and loads nothing', () => {
    const page = writeHtml(report(hostile));
    expect(page).toContain('&#60;img src=x onerror=alert(1)&#62;');
    expect(page).not.toMatch(/<img|<script|https?:|url\(|\n#/);
    expect(page).toContain("default-src 'none'");
    expect(writeHtml(report('People'))).toContain('<code>People</code>');
  });

  it('as HTML has the same elements whatever the texts are', () => {
    const elementsOf = (text: string) => writeHtml(report(text)).match(/<[^>]*>/g);
    const usualElements = elementsOf('x');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        expect(elementsOf(text)).toEqual(usualElements);
      }),
    );
  });

  it('as Markdown has as many lines whatever the texts are, and no open code', () => {
    const linesOf = (text: string) => writeMarkdown(report(text)).split(/[\n\r\u2028\u2029]/).length;
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        expect(linesOf(text)).toBe(linesOf('x'));
      }),
    );
    expect(writeMarkdown(report('a`b'))).toContain('`` a`b ``');
    expect(writeMarkdown(report(hostile))).toContain('&#60;img src=x');
  });

  it('as Markdown names what the numbers lack', () => {
    const text = writeMarkdown(judgeRun({ ...usual, skippedRequests: 7, forgottenShapes: 8 }, none));
    expect(text).toContain('did not see 7 requests');
    expect(text).toContain('8 queries of other shapes');
  });

  // The fields that the schema requires. Source: docs/coach.md.
  it('as SARIF 2.1.0 has what its schema requires', () => {
    const suppressions = [{ rule: 'R5', why: 'rare' }];
    const known = [
      { rule: 'R3' as const, table: 'People', shape: 'people where PartitionKey eq ? and (RowKey eq ?…)' },
    ];
    const log = JSON.parse(writeSarif(judgeRun(usual, { ...none, suppressions, known }), '1.2.3'));
    expect(log).toMatchObject({
      version: '2.1.0',
      runs: [{ tool: { driver: { name: 'Tabularium', version: '1.2.3' } } }],
    });
    const [{ tool, results }] = log.runs;
    for (const rule of tool.driver.rules) {
      expect(rule).toEqual({
        ...{ id: expect.stringMatching(/^R\d+$/), shortDescription: { text: expect.any(String) } },
        ...{ fullDescription: { text: expect.any(String) }, help: { text: expect.any(String) } },
      });
    }
    expect(results).toHaveLength(usual.findings.length);
    for (const result of results) {
      expect(result.message.text).not.toBe('');
      expect(['error', 'warning', 'note']).toContain(result.level);
      expect(tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
      const [{ physicalLocation }] = result.locations;
      expect(['test/people.test.ts', 'package.json']).toContain(physicalLocation.artifactLocation.uri);
      expect(physicalLocation.region.startLine).toBe(1);
      expect([undefined, 'new', 'unchanged']).toContain(result.baselineState);
    }
    expect(results.filter((result: object) => 'suppressions' in result)).toMatchObject([
      { ruleId: 'R5', suppressions: [{ kind: 'external', justification: 'rare' }] },
    ]);
  });

  it.each([
    ['test/a b.test.ts > lists', 'test/a%20b.test.ts'],
    ['/etc/x.ts > lists', 'package.json'],
    ['../x.ts > lists', 'package.json'],
    ['\ud800.ts > lists', 'package.json'],
    ['lists orders', 'package.json'],
  ])('as SARIF places the mark %j at %s', (mark, uri) => {
    const log = JSON.parse(writeSarif(report(mark), '1'));
    expect(log.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).toBe(uri);
  });
});
