import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  explainFailure,
  isConflict,
  isForbidden,
  isLockTimeout,
  isOpen,
  isReadOnly,
  isUndone,
  needsNewConnection,
} from '../../../../../src/store/postgres/connection/failures.js';
import { databaseError } from '../../../../support/postgres/database-error.js';

/** Codes of Node that look like an SQLSTATE, and SQLSTATEs that only look as if the database had sent them. */
const foreignCode = fc.oneof(
  fc.constantFrom('EPIPE', 'EPERM', 'EBUSY', 'E2BIG', 'ECONNRESET', '25006', '23505', '42501', '55P03'),
  fc.stringMatching(/^[0-9A-Z]{5}$/),
);

describe('an error that the database did not send', () => {
  it('leaves open what became of the statement, and needs a new connection, whatever its code is', () => {
    fc.assert(
      fc.property(foreignCode, (code) => {
        const error = Object.assign(new Error(`write ${code}`), { code });
        expect(isOpen(error)).toBe(true);
        expect(needsNewConnection(error)).toBe(true);
        expect([isConflict, isReadOnly, isForbidden, isUndone, isLockTimeout].filter((is) => is(error))).toEqual([]);
        expect(explainFailure(error)).toMatchObject({ name: 'StoreUnavailable', outcome: 'not-done' });
      }),
    );
  });
});

describe('an error that the database sent', () => {
  it.each([
    ['22012', isConflict],
    ['23505', isConflict],
    ['40001', isUndone],
    ['40P01', isUndone],
    ['25006', isReadOnly],
    ['42501', isForbidden],
    ['55P03', isLockTimeout],
    ['57P01', isOpen],
    ['08006', isOpen],
    ['40003', isOpen],
  ])('%s is known by its SQLSTATE', (code, is) => {
    expect(is(databaseError(code))).toBe(true);
  });

  it('undoes its statement, unless it ends the connection', () => {
    expect(isOpen(databaseError('42501'))).toBe(false);
    expect(needsNewConnection(databaseError('42501'))).toBe(false);
    expect(explainFailure(databaseError('42501'))).toMatchObject({ code: '42501' });
  });
});
