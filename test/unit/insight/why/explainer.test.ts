import { expect, it } from 'vitest';
import { parseAddress } from '../../../../src/address/parse-address.js';
import { Accounts } from '../../../../src/auth/accounts.js';
import { Explainer } from '../../../../src/insight/explainer.js';
import { ChangeRing } from '../../../../src/insight/journal/changes/change-ring.js';
import { keyedCosts } from '../../../../src/insight/queries/cost-model.js';
import { developmentAccount } from '../../../../src/protocol/access/accounts.js';
import { TableError } from '../../../../src/protocol/errors.js';
import { recordOf } from '../../../support/measures/journal-records.js';

const address = parseAddress(
  { url: '/devstoreaccount1/Tables', host: 'localhost', scheme: 'http' },
  new Set(['devstoreaccount1']),
);

it('Rejections that have nothing to do with a signature do not use up its examinations', () => {
  const explainer = new Explainer({
    accounts: new Accounts([developmentAccount]),
    now: () => 0,
    realNow: () => 0,
    store: {},
    changes: new ChangeRing(),
    costsOf: () => keyedCosts,
    isShared: false,
  });
  const headers = { authorization: 'SharedKey devstoreaccount1:AAAA' };
  const rejected = (code: 'TableNotFound' | 'AuthenticationFailed') => ({
    ...recordOf({ headers }),
    address,
    rejection: new TableError(code),
  });
  for (let at = 0; at < 100; at++) explainer.explain(rejected('TableNotFound'));
  expect(explainer.explain(rejected('AuthenticationFailed')).cause).toBe('date-missing');
});

it.each([
  [-3_600_000, 'Set the clock of the server: its database agrees with the client.'],
  [3_600_000, 'Set the clock of the client; 15 minutes are allowed.'],
  [undefined, 'Set the clock of the client; 15 minutes are allowed.'],
])(
  'A date that is an hour early is the fault of the server, if its database is %j ms ahead: %s',
  (clockAheadMs, advice) => {
    const now = Date.UTC(2026, 10, 22, 12);
    const explainer = new Explainer({
      accounts: new Accounts([developmentAccount]),
      now: () => now,
      realNow: () => now,
      store: clockAheadMs === undefined ? {} : { clockAheadMs },
      changes: new ChangeRing(),
      costsOf: () => keyedCosts,
      isShared: clockAheadMs !== undefined,
    });
    const date = new Date(now - 3_600_000).toUTCString();
    const headers = { authorization: 'SharedKey devstoreaccount1:AAAA', 'x-ms-date': date };
    const record = recordOf({ headers });
    const rejected = { ...record, address };
    expect(explainer.explain({ ...rejected, rejection: new TableError('AuthenticationFailed') })).toMatchObject({
      cause: 'clock',
      advice,
    });
  },
);
