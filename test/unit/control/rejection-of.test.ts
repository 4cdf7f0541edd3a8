import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../../../src/control/verbs/call-verb.js';
import { StoreUnavailable } from '../../../src/store/store-unavailable.js';

describe('a call whose database went away', () => {
  it.each([
    ['not-done', 503],
    ['unknown', 500],
  ] as const)('is answered with what became of it: %s', (outcome, status) => {
    const rejection = rejectionOf(new StoreUnavailable(outcome, 'The database cannot be used.'));
    expect(rejection).toMatchObject({ status, message: 'The database cannot be used.' });
  });

  it('is not that of a call that failed for a reason nobody expected', () => {
    expect(rejectionOf(new Error('a bug'))).toBeUndefined();
  });
});
