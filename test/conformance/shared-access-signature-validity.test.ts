import { beforeAll, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import type { Answer } from '../support/answers/answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';
import {
  type AccessFields,
  accountAccess,
  hoursFromNow,
  signAccess,
  signText,
  tableAccess,
  textToSign,
  withAccess,
  writeAccess,
} from '../support/signatures/sign-access.js';

const bySignature = { auth: 'none' } as const;
const failed =
  'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly ' +
  'including the signature.';

function expectFailed(answer: Answer): void {
  expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1', type: 'application/json', message: failed });
}

/** Returns the date this many days from now, without a time. */
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describeService('Validity of shared access signatures', ({ client, withTable }) => {
  const kinds = [
    ['the account', '/Tables', (fields: AccessFields) => accountAccess(fields)],
    ['a table', '/Signed', (fields: AccessFields) => tableAccess('Signed', fields)],
  ] as const;

  beforeAll(async () => {
    await client.post('/Tables', { TableName: 'Signed' });
  });

  describe.each(kinds)('of %s', (_kind, path, access) => {
    const get = (fields: AccessFields) => client.get(withAccess(path, access(fields)), bySignature);

    it.each([
      ['expired', { se: hoursFromNow(-1) }],
      ['not yet valid', { st: hoursFromNow(1), se: hoursFromNow(2) }],
      ['without an end', { se: '' }],
      ['whose end is not a date', { se: 'tomorrow' }],
      ['whose end does not exist', { se: '2999-02-30' }],
      ['whose start is not a date', { st: 'yesterday' }],
      ['without permissions', { sp: '' }],
      ['of an invalid version', { sv: 'abc' }],
      ['for an unknown protocol', { spr: 'ftp' }],
    ] satisfies [string, AccessFields][])('A23 rejects one %s', async (_what, fields) => {
      expectFailed(await get(fields));
    });

    it('A23 rejects one of a version without signatures, which the request then has', async () => {
      expectTableError(await get({ sv: '2011-08-18' }), 403, 'AuthenticationFailed', {
        set: 'A1',
        version: '2011-08-18',
      });
    });

    it.each([
      ['an hour', hoursFromNow(-1)],
      ['a day', day(-1)],
      ['minutes', `${day(-1)}T10:30Z`],
      ['seven fraction digits', `${day(-1)}T10:30:15.1234567Z`],
    ])('accepts a start written to %s', async (_precision, st) => {
      expect(await get({ st })).toMatchObject({ status: 200 });
    });

    it.each([
      ['a second', hoursFromNow(1)],
      ['a day', day(2)],
      ['minutes', `${day(2)}T10:30Z`],
      ['seven fraction digits', `${day(2)}T10:30:15.1234567Z`],
    ])('accepts an end written to %s', async (_precision, se) => {
      expect(await get({ se })).toMatchObject({ status: 200 });
    });

    it('A23 rejects it if one letter of sig is changed', async () => {
      const query = signAccess(access({}));
      const at = query.indexOf('sig=') + 'sig='.length;
      const forged = `${query.slice(0, at)}${query[at] === 'A' ? 'B' : 'A'}${query.slice(at + 1)}`;

      expectFailed(await client.get(`${path}?${forged}`, bySignature));
    });

    it.each([
      ['sp', { sp: 'rd' }],
      ['se', { se: hoursFromNow(24) }],
      ['st', { st: hoursFromNow(-24) }],
      ['sv', { sv: '2019-07-07' }],
      ['sip', { sip: '127.0.0.1' }],
      ['spr', { spr: 'https,http' }],
    ] satisfies [string, AccessFields][])(
      'A23 rejects it if %s differs from the signed value',
      async (_name, forged) => {
        const fields = access({ sp: 'r' });
        const sig = signText(textToSign(fields, developmentAccount.name), developmentAccount.keys[0] ?? '');

        expectFailed(await client.get(`${path}?${writeAccess({ ...fields, ...forged, sig })}`, bySignature));
      },
    );

    it.each([
      ['no base64', '%%%'],
      ['empty', ''],
      ['short', 'AAAA'],
      ['of another key', signText('text', 'bm8ga2V5')],
    ])('A23 rejects a sig that is %s', async (_what, sig) => {
      expectFailed(await client.get(`${path}?${writeAccess({ ...access({}), sig })}`, bySignature));
    });

    it('A24 rejects over HTTP one for HTTPS only', async () => {
      const answer = await get({ spr: 'https' });

      expectTableError(answer, 403, 'AuthorizationProtocolMismatch', {
        set: 'A1',
        type: 'application/json',
        message: 'This request is not authorized to perform this operation using this protocol.',
      });
    });

    it('A24 accepts one for both protocols', async () => {
      expect(await get({ spr: 'https,http' })).toMatchObject({ status: 200 });
    });

    it.each([
      '10.0.0.1',
      '10.0.0.1-10.0.0.9',
      '127.0.0.2-127.0.0.9',
      '127.0.0.9-127.0.0.0',
      '::1',
      'localhost',
      '127.0.0.*',
    ])('A24 rejects a caller outside sip=%s', async (sip) => {
      const answer = await get({ sip });

      expectTableError(answer, 403, 'AuthorizationSourceIPMismatch', {
        set: 'A1',
        type: 'application/json',
        message: 'This request is not authorized to perform this operation using this source IP 127.0.0.1.',
      });
    });

    it.each(['127.0.0.1', '127.0.0.1-127.0.0.1', '127.0.0.0-127.0.0.255', '126.255.255.255-127.0.0.1'])(
      'A24 accepts a caller within sip=%s',
      async (sip) => {
        expect(await get({ sip })).toMatchObject({ status: 200 });
      },
    );

    it.each(['sv', 'sig', 'sp', 'se', 'st', 'sip', 'spr', 'si', 'ss', 'srt', 'ses', 'tn', 'spk', 'srk', 'epk', 'erk'])(
      'rejects it if the query repeats %s',
      async (name) => {
        const query = signAccess(access({}));
        const value = new URLSearchParams(query).get(name);
        const field = `${name}=${encodeURIComponent(value ?? '')}`;
        const repeated = value === null ? `${query}&${field}&${field}` : `${query}&${field}`;

        expectFailed(await client.get(`${path}?${repeated}`, bySignature));
      },
    );

    it('answers in XML if Accept does not contain JSON', async () => {
      const answer = await client.get(withAccess(path, access({ se: hoursFromNow(-1) })), {
        ...bySignature,
        accept: false,
      });

      expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1', type: 'application/xml', message: failed });
    });

    it('rejects an invalid version also if no header contains a version', async () => {
      const answer = await client.get(withAccess(path, access({ sv: 'abc' })), {
        ...bySignature,
        headers: { 'x-ms-version': undefined },
      });

      expectFailed(answer);
    });

    it('reads a blank in sig as an unencoded plus', async () => {
      const fields = Array.from({ length: 64 }, (_, second) => access({ se: `${day(2)}T10:30:15.${second}Z` }));
      const queries = fields.map((each) => signAccess(each));
      const query = queries.find((each) => each.slice(each.indexOf('sig=')).includes('%2B')) ?? expect.fail();

      const plus = await client.get(`${path}?${query.replaceAll('%2B', '+')}`, bySignature);
      const blank = await client.get(`${path}?${query.replaceAll('%2B', '%20')}`, bySignature);

      expect([plus.status, blank.status]).toEqual([200, 200]);
    });
  });

  it.each(['b', 'q', 'bqf', 'f'])('A25 rejects an account signature with ss=%s', async (ss) => {
    const answer = await client.get(withAccess('/Tables', accountAccess({ ss })), bySignature);

    expectTableError(answer, 403, 'AuthorizationServiceMismatch', {
      set: 'A1',
      type: 'application/json',
      message: 'This request is not authorized to perform this operation using this service.',
    });
  });

  it('A25 accepts one for all services', async () => {
    const answer = await client.get(withAccess('/Tables', accountAccess({ ss: 'bqtf' })), bySignature);

    expect(answer.status).toBe(200);
  });

  it.each([
    ['services', { ss: '' }],
    ['resource types', { srt: '' }],
  ] satisfies [string, AccessFields][])('rejects an account signature without %s', async (_what, fields) => {
    expectFailed(await client.get(withAccess('/Tables', accountAccess(fields)), bySignature));
  });

  it('rejects an account signature of a version without account signatures', async () => {
    expectFailed(await client.get(withAccess('/Tables', accountAccess({ sv: '2015-02-21' })), bySignature));
  });

  it('rejects an account signature that names a stored policy', async () => {
    expectFailed(await client.get(`${withAccess('/Tables', accountAccess())}&si=policy`, bySignature));
  });

  it('is checked before the address', async () => {
    const answer = await client.get(
      withAccess('/no(such=syntax', accountAccess({ se: hoursFromNow(-1) })),
      bySignature,
    );

    expectFailed(answer);
  });

  it('is checked in the order times, protocol, caller, service', async () => {
    const wrong = { st: hoursFromNow(1), se: hoursFromNow(2), spr: 'https', sip: '10.0.0.1', ss: 'b' };
    const without = ({ ...fields }: Record<string, string>, ...names: string[]) => {
      for (const name of names) delete fields[name];
      return client.get(withAccess('/Tables', accountAccess(fields)), bySignature);
    };

    const answers = [
      await without(wrong),
      await without(wrong, 'st'),
      await without(wrong, 'st', 'spr'),
      await without(wrong, 'st', 'spr', 'sip'),
    ];

    expect(answers.map(({ headers }) => headers['x-ms-error-code'])).toEqual([
      'AuthenticationFailed',
      'AuthorizationProtocolMismatch',
      'AuthorizationSourceIPMismatch',
      'AuthorizationServiceMismatch',
    ]);
  });

  it('is checked before the body of a write and its type', async () => {
    const table = await withTable();

    const answer = await client.post(withAccess(`/${table}`, tableAccess(table, { se: hoursFromNow(-1) })), '{', {
      ...bySignature,
      headers: { 'Content-Type': 'text/plain' },
    });

    expectFailed(answer);
  });
});
