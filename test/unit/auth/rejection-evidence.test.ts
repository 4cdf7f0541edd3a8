import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/address/parse-address.js';
import { checkSharedKey } from '../../../src/auth/authenticate.js';
import { authorize } from '../../../src/auth/authorize.js';
import { checkSharedAccessSignature } from '../../../src/auth/shared-access-signature.js';
import { readAccountKeys } from '../../../src/auth/signing-key.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { TableError } from '../../../src/protocol/errors.js';
import type { RejectionEvidence } from '../../../src/protocol/rejection-evidence.js';
import { type AccessFields, signAccess, textToSign } from '../../support/signatures/sign-access.js';

const { name, keys } = developmentAccount;
const [key = ''] = keys;
const now = Date.parse('2026-11-21T12:00:00Z');

/** Returns the evidence of the error that a check throws. */
async function evidenceOf(check: () => unknown): Promise<RejectionEvidence | undefined> {
  try {
    await check();
  } catch (error) {
    if (error instanceof TableError) return error.evidence();
    throw error;
  }
  throw new Error('The check did not throw.');
}

function addressOf(target: string) {
  return parseAddress({ url: target, host: 'localhost', scheme: 'http' }, new Set([name]));
}

describe('A rejection of Shared Key has as evidence', () => {
  const check = (date: string) => {
    const address = addressOf(`/${name}/Tables`);
    const request = { method: 'GET', address, contentMd5: '', contentType: '', date, msDate: undefined };
    checkSharedKey('SharedKey', Buffer.alloc(32).toString('base64'), request, readAccountKeys(keys), now);
  };

  it('the date and the clock, if they differ too much', async () => {
    const date = 'Sat, 21 Nov 2026 11:00:00 GMT';

    expect(await evidenceOf(() => check(date))).toEqual({ check: 'request-date', date, now });
  });

  it('the text that the server would sign, and never a key or signature', async () => {
    const date = 'Sat, 21 Nov 2026 12:00:00 GMT';
    const evidence = await evidenceOf(() => check(date));

    expect(evidence).toEqual({ check: 'signed-text', texts: [`GET\n\n\n${date}\n/${name}/${name}/Tables`] });
    expect(JSON.stringify(evidence)).not.toContain(key.slice(0, 20));
  });
});

describe('A rejection of a shared access signature has as evidence', () => {
  const valid: AccessFields = { sv: '2019-02-02', tn: 'Table', sp: 'r', se: '2026-11-22' };
  const check = (query: string) =>
    checkSharedAccessSignature({
      address: addressOf(`/${name}/Table?${query}`),
      keys: readAccountKeys(keys),
      scheme: 'http',
      caller: '127.0.0.1',
      now,
      policies: () => undefined,
    });

  it('the text that the server would sign', async () => {
    const changed = { ...valid, sp: 'raud' };
    const query = signAccess(valid).replace('sp=r', 'sp=raud');

    expect(await evidenceOf(() => check(query))).toEqual({ check: 'signed-text', texts: [textToSign(changed, name)] });
  });

  it('its times and the clock', async () => {
    const past = { ...valid, st: '2026-11-01', se: '2026-11-02' };

    expect(await evidenceOf(() => check(signAccess(past)))).toEqual({
      check: 'signature-times',
      start: '2026-11-01',
      expiry: '2026-11-02',
      now,
    });
  });
});

describe('A rejection of a right', () => {
  const identity = {
    kind: 'table-signature',
    version: '2019-02-02',
    table: 'table',
    permissions: 'a',
    range: {},
  } as const;

  it('has the permissions of the signature as evidence, and keeps it when it gets a position', async () => {
    const right = { moment: 'table-found', tokenSince: '2008-10-27', tableSignature: 'r' } as const;
    const evidence = { check: 'right', signature: 'table-signature', permissions: 'a', table: 'Table' };
    const check = () => authorize(identity, right, 'Table', { account: 'devstoreaccount1', version: '2019-02-02' });

    expect(await evidenceOf(check)).toEqual(evidence);
    const placed = await Promise.reject(
      new TableError('InvalidInput', { evidence: () => evidence as RejectionEvidence }),
    ).catch((error: TableError) => error.placedAt(3));
    expect([placed.at, placed.evidence()]).toEqual([3, evidence]);
  });

  it('may have no evidence', () => {
    expect(new TableError('InvalidInput').evidence()).toBeUndefined();
  });
});
