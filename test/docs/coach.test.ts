import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { limitWords } from '../../src/insight/coach/budget/budget.js';
import { causeNames, ruleNames, rules } from '../../src/insight/rules/rules.js';

const page = readFileSync(new URL('../../docs/coach.md', import.meta.url), 'utf8');

it('The table of docs/coach.md has every rule of the coach in the words of the code', () => {
  const rows = page.split('\n').filter((line) => / \| .* \| .* \|/.test(line) && line.startsWith('| `'));
  expect(rows).toEqual(
    causeNames.map((name) => {
      const { title, finds, advice, chapter = '–' } = rules[name];
      return `| \`${name}\` | ${title} | ${finds} | ${advice} | ${chapter} |`;
    }),
  );
});

it('docs/coach.md has every limit of a budget but those of rules in the words of the code', () => {
  const rows = page.split('\n').filter((line) => /^\| `[a-z]+` \| [^|]+ \|$/.test(line));
  const others = [...limitWords].filter(([name]) => !ruleNames.some((rule) => rule === name));
  expect(rows).toEqual(others.map(([name, counts]) => `| \`${name}\` | ${counts} |`));
});

it('The coach has fourteen rules, whose causes are side by side', () => {
  expect(ruleNames).toHaveLength(14);
  const rulesInOrder = causeNames.map((name) => name.split('/')[0]);
  expect(rulesInOrder.filter((name, at) => name !== rulesInOrder[at - 1])).toEqual(ruleNames);
});
