import { describe, expect, it, vi } from 'vitest';
import { retryWhileHeld } from '../../src/change-file.js';

const failWith = (code: string) => Object.assign(new Error(code), { code });

/** A change that fails with these codes, then succeeds. Counts its calls. */
function changeAfter(...codes: readonly string[]) {
  return vi.fn(async () => {
    const code = codes[change.mock.calls.length - 1];
    if (code !== undefined) throw failWith(code);
  });
}
let change: ReturnType<typeof changeAfter>;

const pauses: number[] = [];
vi.mock('node:timers/promises', () => ({ setTimeout: async (ms: number) => void pauses.push(ms) }));

describe('A change of a file that another program holds', () => {
  it('is retried on Windows until it succeeds', async () => {
    change = changeAfter('EPERM', 'EBUSY', 'EACCES', 'ENOTEMPTY');
    await expect(retryWhileHeld(change, 'win32')).resolves.toBeUndefined();
    expect(change).toHaveBeenCalledTimes(5);
  });

  it('fails after two seconds on Windows, with the last error', async () => {
    change = changeAfter(...Array.from({ length: 1000 }, () => 'EBUSY'));
    pauses.length = 0;
    await expect(retryWhileHeld(change, 'win32')).rejects.toMatchObject({ code: 'EBUSY' });
    const waited = pauses.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThanOrEqual(2000);
    expect(waited).toBeLessThan(2200);
  });

  it.each([
    ['linux', 'EPERM'],
    ['win32', 'ENOENT'],
  ] as const)('is not retried on %s after %s', async (platform, code) => {
    change = changeAfter(code);
    await expect(retryWhileHeld(change, platform)).rejects.toMatchObject({ code });
    expect(change).toHaveBeenCalledTimes(1);
  });
});
