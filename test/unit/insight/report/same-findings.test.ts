import { describe, expect, it } from 'vitest';
import { Coach } from '../../../../src/insight/coach/coach.js';
import type { Finding } from '../../../../src/insight/coach/finding.js';
import { writeQueryShape } from '../../../../src/insight/queries/write-shape.js';
import { parseFilter } from '../../../../src/query/filter/parse-filter.js';
import { observedPage } from '../../../support/clients/observed-request.js';

/** Returns what a coach finds and counts of a scan of each table of an account. */
function scansOf(...places: readonly (readonly [account: string, table: string])[]) {
  const coach = new Coach();
  for (const account of ['b1', 'b2']) coach.followAccount(account, 'main');
  for (const [account, table] of places) {
    const shape = writeQueryShape(table, parseFilter("Name eq 'x'"), {});
    coach.shapes.observe(observedPage("Name eq 'x'", { account, table, shape, read: 3, mark: table }));
  }
  const shown = ({
    account,
    table,
    shape,
    calls,
    read,
  }: Pick<Finding, 'account' | 'table' | 'shape' | 'calls' | 'read'>) => [account, table, shape, calls, read].join(' ');
  expect(coach.usages().map(shown)).toEqual(coach.findings(0).map(shown));
  return coach.findings(0).map(shown);
}

describe('Findings that say the same', () => {
  it('of a branch and its origin are one finding of the origin', () => {
    expect(scansOf(['main', 'People'], ['b1', 'People'], ['b2', 'People'])).toEqual([
      'main People people where Name eq ? 3 9',
    ]);
  });

  it('of two accounts are two, and name them', () => {
    expect(scansOf(['one', 'People'], ['two', 'People'])).toEqual([
      'one People people where Name eq ? 1 3',
      'two People people where Name eq ? 1 3',
    ]);
  });

  it.each([
    ['numbers', ['Test1', 'Test27', 'test301']],
    ['hexadecimal numbers', ['Testf3a9', 'Test0bc1']],
    ['times in base 36', ['Testmi3k9x2a', 'Testmj0a1b2c', 'Testmhzz9zzz']],
    ['random texts of base 36', ['test4fzk2q9x1m', 'test0pq7rk3vty8']],
    ['UUIDs', ['Test0b8ee1f96b6e4a5b9f4e0123456789ab', 'Testc1d2e3f46b6e4a5b9f4e0123456789ab']],
  ])('of tables whose names differ only in %s are one', (_what, tables) => {
    const count = tables.length;
    const found = scansOf(...tables.map((table) => ['main', table] as const));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(` ${count} ${count * 3}$`));
  });

  it('of tables with other names stay apart', () => {
    expect(scansOf(['main', 'Orders1'], ['main', 'People1'])).toHaveLength(2);
  });
});
