import { describe, expect, it } from 'vitest';
import { readBudget } from '../../../src/commands/coach/run-plan.js';
import { ConfigError } from '../../../src/config.js';

describe('--budget', () => {
  it('is a list of limits', () => {
    expect(readBudget(' table-scan=0, n+1<=2,density>=0.1,serious=0,table-scan/or-keys=3,')).toEqual([
      { name: 'table-scan', bound: 'most', allowed: 0 },
      { name: 'n+1', bound: 'most', allowed: 2 },
      { name: 'density', bound: 'least', allowed: 0.1 },
      { name: 'serious', bound: 'most', allowed: 0 },
      { name: 'table-scan/or-keys', bound: 'most', allowed: 3 },
    ]);
  });

  it.each([
    ['', 'is empty'],
    ['table-scan', "'table-scan' is not a limit"],
    ['table-scan=', "'table-scan=' is not a limit"],
    ['table-scan=-1', 'is not a limit'],
    ['table-scan=1e3', 'is not a limit'],
    ['table-scans=0', "Did you mean 'table-scan'?"],
    ['table-scan/or-key=0', "Did you mean 'table-scan/or-keys'?"],
    ['constructor=0', 'The names are: serious, warn, info, requests, read, density, table-scan'],
    ['\u001b[2J=0', String.raw`'\x1b[2J'`],
    ['read=1,read=2', 'limits read twice'],
  ])('rejects %j and says what is wrong', (text, message) => {
    expect(() => readBudget(text)).toThrow(ConfigError);
    expect(() => readBudget(text)).toThrow(message);
  });
});
