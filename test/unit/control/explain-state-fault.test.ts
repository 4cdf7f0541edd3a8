import { describe, expect, it } from 'vitest';
import { explaining } from '../../../src/control/explain-state-fault.js';
import { StoreUnavailable } from '../../../src/store/store-unavailable.js';

describe('a call whose database went away', () => {
  it.each([
    ['not-done', 503],
    ['unknown', 500],
  ] as const)('is answered with what became of it: %s', async (outcome, status) => {
    const run = explaining(async () => {
      throw new StoreUnavailable(outcome, 'The database cannot be used.');
    });
    const request = { path: '', query: new URLSearchParams(), root: undefined, headers: {}, body: undefined };
    const { body, ...answer } = await run({ ...request, right: 'all' });
    expect([answer.status, JSON.parse(String(body))]).toEqual([status, { error: 'The database cannot be used.' }]);
  });
});
