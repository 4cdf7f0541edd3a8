import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBudget } from '../../../../src/commands/coach/run-plan.js';
import { entriesFor, writeAccepted } from '../../../../src/insight/coach/budget/accepted.js';
import { budgetSentence, limitWords, noRequests } from '../../../../src/insight/coach/budget/budget.js';
import { Coach } from '../../../../src/insight/coach/coach.js';
import type { Finding } from '../../../../src/insight/coach/finding.js';
import { judgeRun, type RunNumbers, type RunRules } from '../../../../src/insight/coach/report/coach-report.js';
import { writeMarkdown } from '../../../../src/insight/coach/report/write-markdown.js';
import { nameOf } from '../../../../src/insight/rules/rule.js';
import { runs } from '../../../support/arbitrary/property-runs.js';
import { observedPage, observedRequest } from '../../../support/clients/observed-request.js';

/** Returns what a coach has counted of a program. */
function numbersOf(act: (coach: Coach) => void): RunNumbers {
  const coach = new Coach();
  act(coach);
  const usage = { requests: 20, read: 100, returned: 25 };
  return { usage, findings: coach.findings(0), skippedRequests: 0, forgottenShapes: 0 };
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
  habits.rejectFilter({
    ...observedRequest(),
    filter: "startswith(A,'x')",
    cause: 'filter-startswith',
    explanation: 'No.',
  });
});

const none: RunRules = { limits: [], accepted: [] };
const judge = (budget: string, accepted: RunRules['accepted'] = [], numbers = usual) =>
  judgeRun(numbers, { limits: readBudget(budget), accepted });
const budgetOf = (text: string) => judge(text).budget.map(({ actual, isBroken }) => [actual, isBroken]);

describe('A budget', () => {
  it.each([
    ['table-scan', 2],
    ['table-scan/rowkey-only', 1],
    ['table-scan/unfiltered', 0],
    ['partition-scan', 2],
    ['partition-scan/or-keys', 1],
    ['rejected-filter', 1],
    ['n+1', 0],
    ['read', 100],
    ['requests', 20],
    ['info', 5],
    ['warn', 3],
    ['serious', 0],
  ])('counts %s: %i', (name, count) => {
    expect(budgetOf(`${name}=${count}`)).toEqual([[count, false]]);
    if (count > 0) expect(budgetOf(`${name}=${count - 1}`)).toEqual([[count, true]]);
  });

  it('counts the calls of findings of a rule, so whatever it counts can be seen', () => {
    for (const [at, finding] of usual.findings.entries()) {
      const others = usual.findings.filter((_, place) => place !== at);
      const countOf = (findings: readonly Finding[]) =>
        judge('table-scan=0', [], { ...usual, findings }).budget[0]?.actual;
      const share = finding.rule === 'table-scan' ? finding.calls : 0;
      expect(Number(countOf(usual.findings)) - Number(countOf(others))).toBe(share);
    }
  });

  it('has a least number, too', () => {
    expect(budgetOf('density>=0.25')).toEqual([[0.25, false]]);
    expect(budgetOf('density>=0.26')).toEqual([[0.25, true]]);
  });

  it('that allows no warning is not broken by a hint about a small table', () => {
    const small = numbersOf(({ shapes }) => shapes.observe(observedPage('', { read: 200, returned: 200 })));
    expect(small.findings.map(nameOf)).toEqual(['table-scan/unfiltered']);
    expect(judge('warn=0', [], small).isBroken).toBe(false);
    expect(judge('table-scan=0', [], small).isBroken).toBe(true);
  });

  it('has the findings that a broken limit counts, the worst first', () => {
    const [line] = judge('table-scan=0').budget;
    expect(line?.counted.map(({ cause }) => cause)).toEqual(['rowkey-only', 'properties-only']);
  });

  it('is broken without a request, unless it limits their number itself', () => {
    const untouched = numbersOf(() => {});
    const nothing = { ...untouched, usage: { requests: 0, read: 0, returned: 0 } };

    const { isBroken, budget } = judge('warn=0', [], nothing);
    expect(isBroken).toBe(true);
    expect(budget.filter((line) => line.isBroken).map(budgetSentence)).toEqual([noRequests]);
    expect(judge('requests=0', [], nothing).isBroken).toBe(false);
    expect(judgeRun(nothing, none).budget).toEqual([]);
  });

  it('has 20 names: 14 rules, three severities and three totals', () => {
    expect([...limitWords.keys()].length).toBe(20);
  });
});

describe('An accepted finding', () => {
  const accept = (entry: object) =>
    judge('table-scan/rowkey-only=0', [{ rule: 'table-scan/rowkey-only', why: 'rare', ...entry }]);

  it.each([{ table: 'PEOPLE' }, { rule: 'table-scan' }, { account: 'account' }, { shape: 'people where RowKey eq ?' }])(
    'that is %j counts in no budget, and keeps the reason',
    (entry) => {
      const report = accept(entry);
      expect(report.isBroken).toBe(false);
      expect(report.accepted.length).toBeGreaterThan(0);
      expect(report.accepted.every(({ why }) => why === 'rare')).toBe(true);
      expect(report.findings.map(nameOf)).not.toContain('table-scan/rowkey-only');
      expect(report.unused).toEqual([]);
    },
  );

  it.each([{ table: 'Other' }, { shape: 'people' }, { rule: 'contention' }, { account: 'other' }])(
    'that is %j matches nothing, and is told',
    (entry) => {
      const report = accept(entry);
      expect(report.isBroken).toBe(true);
      expect(report.accepted).toEqual([]);
      expect(report.unused).toHaveLength(1);
    },
  );

  // Whatever a budget counts can be accepted, because it counts findings and nothing else.
  it('satisfies every limit of a rule or severity, whatever was found', () => {
    fc.assert(
      fc.property(fc.subarray([...usual.findings]), fc.constantFrom(...limitWords.keys()), (findings, name) => {
        if (['requests', 'read', 'density'].includes(name)) return;
        const accepted = findings.map(({ rule, cause, table, shape }) => ({
          ...{ rule: nameOf({ rule, ...(cause !== undefined && { cause }) }), table, shape, why: 'accepted' },
        }));
        const report = judge(`${name}=0`, accepted, { ...usual, findings });
        expect([report.isBroken, report.unused]).toEqual([false, []]);
      }),
    );
  });

  it('of a test table is the same in the next run', () => {
    const run = (table: string) =>
      numbersOf(({ shapes }) =>
        shapes.observe(observedPage("RowKey eq 'r'", { table, shape: `${table.toLowerCase()} where RowKey eq ?` })),
      );
    const [first, second] = [run('Peoplemi3k9x2a'), run('Peoplemj0a1b2c')];
    expect(judge('warn=0', entriesFor(first.findings), second).isBroken).toBe(false);
  });
});

describe('The file of accepted findings', () => {
  it('is the same text whatever the order, and has no numbers of a run', () => {
    const reversed = [...usual.findings].reverse().map((finding) => ({ ...finding, calls: 99, firstRequest: 'other' }));
    const [first, second] = [usual.findings, reversed].map((findings) => writeAccepted(entriesFor(findings)));
    expect(second).toBe(first);
    expect(JSON.parse(writeAccepted([]))).toEqual({ accept: [] });
  });

  it('has one line for each finding', () => {
    const lines = writeAccepted(entriesFor(usual.findings)).split('\n').slice(1, -2);
    expect(lines.map((line) => JSON.parse(line.replace(/,$/, '')).rule)).toEqual(
      usual.findings
        .filter((finding) => finding.class ?? finding.severity !== 'info')
        .map(nameOf)
        .sort(),
    );
  });
});

const hostile = '<img src=x onerror=alert(1)>|`[x](y)\n# "\'&*_\u2028\ud800';
const report = (text: string) => {
  const one = usual.findings[0] as Finding;
  const texts = { account: text, table: text, shape: text, example: text, note: text, firstRequest: text };
  const finding = { ...one, ...texts, rewritten: [text], marks: [text] };
  const accepted = [{ rule: 'table-scan', why: text, table: 'none' }];
  return judgeRun({ ...usual, findings: [finding] }, { limits: readBudget('warn=0'), accepted });
};

describe('A report', () => {
  it('as Markdown has as many lines whatever the texts are, and no open code', () => {
    const linesOf = (text: string) => writeMarkdown(report(text)).split(/[\n\r\u2028\u2029]/).length;
    const lines = linesOf('x');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        expect(linesOf(text)).toBe(lines);
      }),
      { numRuns: runs(30) },
    );
    expect(writeMarkdown(report('a`b'))).toContain('`` a`b ``');
    expect(writeMarkdown(report(hostile))).toContain('&#60;img src=x');
  });

  it('as Markdown names what the numbers lack', () => {
    const text = writeMarkdown(judgeRun({ ...usual, skippedRequests: 7, forgottenShapes: 8 }, none));
    expect(text).toContain('7 requests were not sampled');
    expect(text).toContain('8 queries of other shapes');
  });

  it('as Markdown names the account of a finding', () => {
    const finding = { ...(usual.findings[0] as Finding), account: 'customerone' };
    expect(writeMarkdown(judgeRun({ ...usual, findings: [finding] }, none))).toContain('customerone/People');
  });
});
