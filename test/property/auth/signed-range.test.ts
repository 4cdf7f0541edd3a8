import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseAddress } from '../../../src/address/parse-address.js';
import { checkSharedAccessSignature } from '../../../src/auth/shared-access-signature.js';
import { readAccountKeys } from '../../../src/auth/signing-key.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { TableError } from '../../../src/protocol/errors.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { type AccessFields, signAccess, textToSign } from '../../support/signatures/sign-access.js';

const { name, keys } = developmentAccount;
const accountKeys = readAccountKeys(keys);
const now = Date.parse('2026-11-21T12:00:00Z');

/** Returns the identity that a signed query grants, as JSON, or the error code. */
async function outcomeOf(fields: AccessFields): Promise<string> {
  const url = `/${name}/T?${signAccess(fields)}`;
  const address = parseAddress({ url, host: 'localhost', scheme: 'http' }, new Set([name]));
  const context = { address, keys: accountKeys, scheme: 'http', caller: '127.0.0.1', now, policies: () => undefined };
  try {
    return JSON.stringify(await checkSharedAccessSignature({ ...context, scheme: 'http' }));
  } catch (error) {
    if (error instanceof TableError) return error.code;
    throw error;
  }
}

const ofTable: AccessFields = { sv: '2019-02-02', tn: 'Table', sp: 'ra', se: '2026-11-22' };

it('Two queries with the same string to sign give the same range, and a line end in a key is rejected', async () => {
  const values = [undefined, '', 'a', 'b', '\n', 'a\nb'];
  const outcomes = new Map<string, Set<string>>();
  for (const spk of values) {
    for (const srk of values) {
      for (const epk of values) {
        for (const erk of values) {
          const range = Object.entries({ spk, srk, epk, erk }).filter(([, value]) => value !== undefined);
          const fields: AccessFields = { ...ofTable, ...Object.fromEntries(range) };
          const outcome = await outcomeOf(fields);
          const known = outcomes.get(textToSign(fields, name)) ?? new Set();
          outcomes.set(textToSign(fields, name), known.add(outcome));
          if (`${spk}${srk}${epk}${erk}`.includes('\n')) expect(outcome).toBe('AuthenticationFailed');
        }
      }
    }
  }
  for (const [text, known] of outcomes) expect([...known], JSON.stringify(text)).toHaveLength(1);
});

const text = fc.constantFrom('', 'a', 'ü', 'https', '127.0.0.1');
const version = fc.constantFrom('2012-02-12', '2015-02-21', '2015-04-05', '2019-02-02', '2020-12-06', '2021-08-06');
const optional = { st: fc.constant(''), sip: text, spr: text, ses: text, spk: text, srk: text, epk: text, erk: text };

it('Unsigned fields and empty fields do not change what a signature allows', async () => {
  const base = fc.oneof(
    version.map((sv) => ({ ...ofTable, sv })),
    version.map((sv) => ({ sv, ss: 't', srt: 'sco', sp: 'r', se: '2026-11-22' })),
  );
  const added = fc.record(optional, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(base, added, added, async (fields, some, others) => {
      const [first, second]: [AccessFields, AccessFields] = [
        { ...fields, ...some },
        { ...fields, ...others },
      ];
      fc.pre(textToSign(first, name) === textToSign(second, name));
      expect(await outcomeOf(first)).toBe(await outcomeOf(second));
    }),
    { numRuns: runs(300) },
  );
});
