import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { budgetMetrics } from '../../src/insight/budget/budget-metrics.js';
import { isRuleId, ruleIds, rules } from '../../src/insight/rules.js';

const page = readFileSync(new URL('../../docs/coach.md', import.meta.url), 'utf8');

it('The table of docs/coach.md has every rule of the coach in the words of the code', () => {
  const rows = page.split('\n').filter((line) => /^\| R\d+ \|/.test(line));
  expect(rows).toEqual(
    ruleIds.map((id) => {
      const { title, finds, advice, chapter = '–' } = rules[id];
      return `| ${id} | ${title} | ${finds} | ${advice} | ${chapter} |`;
    }),
  );
});

it('docs/coach.md has every limit of a budget in the words of the code', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const named = budgetMetrics.filter(({ name }) => !isRuleId(name));
  expect(rows).toEqual(named.map(({ name, counts }) => `| \`${name}\` | ${counts} |`));
});

it('The rules of the coach are R1 to R27', () => {
  expect(ruleIds).toEqual(Array.from({ length: 27 }, (_, at) => `R${at + 1}`));
});
