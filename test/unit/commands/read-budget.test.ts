import { describe, expect, it } from 'vitest';
import { readBudget } from '../../../src/commands/read-budget.js';
import { ConfigError } from '../../../src/config.js';

describe('--budget', () => {
  it('is a list of limits', () => {
    const limits = readBudget(' table-scan=0, n+1<=2,density>=0.1,findings.serious=0,R14=3,');
    expect(limits.map(({ metric, bound, allowed }) => [metric.name, bound, allowed])).toEqual([
      ['table-scan', 'most', 0],
      ['n+1', 'most', 2],
      ['density', 'least', 0.1],
      ['findings.serious', 'most', 0],
      ['R14', 'most', 3],
    ]);
  });

  it.each([
    ['', 'is empty'],
    ['table-scan', "'table-scan' is not a limit"],
    ['table-scan=', "'table-scan=' is not a limit"],
    ['table-scan=-1', 'is not a limit'],
    ['table-scan=1e3', 'is not a limit'],
    ['table-scans=0', "Did you mean 'table-scan'?"],
    ['constructor=0', 'The names are: table-scan'],
    ['\u001b[2J=0', String.raw`'\x1b[2J'`],
    ['scanned=1,scanned=2', 'limits scanned twice'],
  ])('refuses %j and says what is wrong', (text, message) => {
    expect(() => readBudget(text)).toThrow(ConfigError);
    expect(() => readBudget(text)).toThrow(message);
  });
});
