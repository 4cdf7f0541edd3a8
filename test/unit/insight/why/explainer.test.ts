import { expect, it } from 'vitest';
import { Accounts } from '../../../../src/auth/accounts.js';
import { ChangeRing } from '../../../../src/insight/changes/change-ring.js';
import { Explainer } from '../../../../src/insight/explainer.js';
import { keyedCosts } from '../../../../src/insight/queries/cost-model.js';
import { developmentAccount } from '../../../../src/protocol/access/accounts.js';
import { TableError } from '../../../../src/protocol/errors.js';
import { recordOf } from '../../../support/measures/journal-records.js';

it('Refusals that have nothing to do with a signature do not use up its examinations', () => {
  const explainer = new Explainer({
    accounts: new Accounts([developmentAccount]),
    now: () => 0,
    realNow: () => 0,
    changes: new ChangeRing(),
    costsOf: () => keyedCosts,
    isShared: false,
  });
  const headers = { authorization: 'SharedKey devstoreaccount1:AAAA' };
  const refused = (code: 'TableNotFound' | 'AuthenticationFailed') => ({
    ...recordOf({ headers }),
    refusal: new TableError(code),
  });
  for (let at = 0; at < 100; at++) explainer.explain(refused('TableNotFound'));
  expect(explainer.explain(refused('AuthenticationFailed')).cause).toBe('date-missing');
});
