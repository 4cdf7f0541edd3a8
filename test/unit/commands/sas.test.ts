import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { sasOf } from '../../support/clients/parse-command.js';
import { ServiceClient } from '../../support/clients/service-client.js';
import { type RunningService, startService } from '../../support/servers/start-service.js';

const now = Date.parse('2026-11-21T12:00:00Z');
const fieldsOf = (url: string) => Object.fromEntries(new URL(url).searchParams);
const accounts = { AZURITE_ACCOUNTS: 'first:a2V5MQ==;second:a2V5Mg==:a2V5Mw==' };

describe('tabularium sas', () => {
  it('signs for the whole account and one hour by default', () => {
    const url = sasOf([], {}, now);

    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:10002\/devstoreaccount1\/\?/);
    expect(fieldsOf(url)).toEqual({
      sv: '2019-02-02',
      ss: 't',
      srt: 'sco',
      sp: 'rwdlacu',
      se: '2026-11-21T13:00:00Z',
      sig: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    });
  });

  it('signs for a table', () => {
    const url = sasOf(['--table', 'Orders'], {}, now);

    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:10002\/devstoreaccount1\/Orders\?/);
    expect(fieldsOf(url)).toMatchObject({ tn: 'Orders', sp: 'raud', se: '2026-11-21T13:00:00Z' });
  });

  it('writes permissions and resource types in the order of the service', () => {
    expect(fieldsOf(sasOf(['--permissions', 'ucalr', '--resourceTypes', 'os']))).toMatchObject({
      sp: 'rlacu',
      srt: 'so',
    });
    expect(fieldsOf(sasOf(['--table', 'Orders', '--permissions', 'duar']))).toMatchObject({ sp: 'raud' });
  });

  it('omits fields that a stored policy supplies', () => {
    const fields = fieldsOf(sasOf(['--table', 'Orders', '--policy', 'readers'], {}, now));

    expect(fields).toEqual({ sv: '2019-02-02', tn: 'Orders', si: 'readers', sig: expect.any(String) });
  });

  it('adds the fields of options to a stored policy', () => {
    const args = ['--table', 'Orders', '--policy', 'readers', '--permissions', 'r', '--hours', '2'];

    expect(fieldsOf(sasOf(args, {}, now))).toMatchObject({ si: 'readers', sp: 'r', se: '2026-11-21T14:00:00Z' });
  });

  it.each([
    [['--start', '2026-11-21', '--expiry', '2026-11-22T10:30Z'], { st: '2026-11-21', se: '2026-11-22T10:30Z' }],
    [['--hours', '0.5'], { se: '2026-11-21T12:30:00Z' }],
    [['--ip', '10.0.0.1-10.0.0.9'], { sip: '10.0.0.1-10.0.0.9' }],
    [['--httpsOnly'], { spr: 'https' }],
    [
      ['--table', 'Orders', '--startPartition', 'a', '--startRow', '1', '--endPartition', 'b', '--endRow', '2'],
      { spk: 'a', srk: '1', epk: 'b', erk: '2' },
    ],
  ])('signs the fields of %j', (args, fields) => {
    expect(fieldsOf(sasOf(args, {}, now))).toMatchObject(fields);
  });

  it.each([
    [['--start', '2026-11-22T10:00:00Z'], '2026-11-22T11:00:00Z'],
    [['--start', '2026-11-22', '--hours', '2'], '2026-11-22T02:00:00Z'],
    [['--start', '2020-01-01', '--hours', '2'], '2026-11-21T14:00:00Z'],
  ])('counts the hours from the start or from now, whichever is later: %j', (args, se) => {
    expect(fieldsOf(sasOf(args, {}, now))).toMatchObject({ se });
  });

  it('signs with the first account by default, or with the account of --account', () => {
    const first = sasOf([], accounts, now);
    const second = sasOf(['--account', 'second'], accounts, now);

    expect(first).toContain('/first/?');
    expect(second).toContain('/second/?');
    expect(fieldsOf(first)['sig']).not.toBe(fieldsOf(second)['sig']);
  });

  it('prints the address of a server with the same options', () => {
    const args = ['--tableHost', '0.0.0.0', '--tablePort', '4711', '--https'];

    expect(sasOf(args)).toMatch(/^https:\/\/127\.0\.0\.1:4711\/devstoreaccount1\/\?/);
  });

  it.each([
    [['--permissions', 'rx'], /--permissions: 'x' is not one of rwdlacu/],
    [['--table', 'Orders', '--permissions', 'rw'], /--permissions: 'w' is not one of raud/],
    [['--resourceTypes', 'sx'], /--resourceTypes: 'x' is not one of sco/],
    [['--resourceTypes', ''], /--resourceTypes/],
    [['--start', 'yesterday'], /--start: 'yesterday' is not an instant/],
    [['--expiry', '2026-02-30'], /--expiry: '2026-02-30' is not an instant/],
    [['--expiry', ''], /--expiry: '' is not an instant/],
    [['--hours', 'two'], /--hours two is not a valid number of hours/],
    [['--hours', '0'], /--hours 0 is not a valid number of hours/],
    [['--hours', '-1'], /--hours -1 is not a valid number of hours/],
    [['--hours', 'Infinity'], /--hours Infinity is not a valid number of hours/],
    [['--hours', '1e9'], /--hours 1e9 is not a valid number of hours/],
    [['--ip', 'localhost'], /--ip/],
    [['--ip', '10.0.0.9-10.0.0.1'], /--ip/],
    [['--policy', 'p'], /--policy needs --table/],
    [['--startPartition', 'a'], /--startPartition needs --table/],
    [['--endRow', 'a'], /--endRow needs --table/],
    [['--table', 'Orders', '--startRow', 'a'], /--startRow needs --startPartition/],
    [['--table', 'Orders', '--endRow', 'a'], /--endRow needs --endPartition/],
    [['--table', 'Orders', '--startPartition', ''], /--startPartition needs a key that is not empty/],
    [['--table', 'Orders', '--endPartition', ''], /--endPartition needs a key that is not empty/],
    [['--table', 'Orders', '--startPartition', 'a', '--startRow', ''], /--startRow needs a key that is not empty/],
    [['--table', 'Orders', '--endPartition', 'a', '--endRow', ''], /--endRow needs a key that is not empty/],
    [['--table', 'Orders', '--startPartition', 'a\nb'], /--startPartition: a key cannot contain control characters/],
    [['--table', 'Orders', '--startPartition', 'b', '--endPartition', 'a'], /The start of the range is after its end/],
    [
      ['--table', 'Orders', '--startPartition', 'a', '--startRow', '2', '--endPartition', 'a', '--endRow', '1'],
      /The start of the range is after its end/,
    ],
    [['--table', 'Orders', '--policy', ''], /--policy needs the id of a policy/],
    [['--expiry', '2026-11-21T12:00:00Z'], /--expiry: '2026-11-21T12:00:00Z' is in the past/],
    [['--expiry', '2020-01-01'], /--expiry: '2020-01-01' is in the past/],
    [['--expiry', '2026-11-21T13:00:00+02:00'], /is in the past/],
    [['--start', '2026-11-22', '--expiry', '2026-11-22'], /--start: '2026-11-22' is not before the end/],
    [['--start', '2026-11-23', '--expiry', '2026-11-22T10:30Z'], /--start: '2026-11-23' is not before the end/],
    [['--table', 'a-b'], /--table/],
    [['--account', 'unknown'], /^There is no account 'unknown'\. The accounts are: devstoreaccount1\.$/],
    [['--account', ''], /^There is no account ''\. The accounts are: devstoreaccount1\.$/],
    [['--account', 'a'.repeat(5000)], /^There is no account 'a{60}…'\./],
    [['--table', 'a\nb'], /^--table: 'a\\nb' cannot be the name of a table/],
    [['--permissions', '\x1b'], /^--permissions: '\\x1b' is not one of rwdlacu/],
  ])('rejects %j', (args, message) => {
    expect(() => sasOf(args, {}, now)).toThrow(
      expect.objectContaining({ name: 'ConfigError', message: expect.stringMatching(message) }),
    );
  });
});

describe('A URL that tabularium sas prints', () => {
  let service: RunningService;
  let client: ServiceClient;
  beforeAll(async () => {
    service = await startService({ accounts: [developmentAccount] });
    client = new ServiceClient(() => service);
    await client.post('/Tables', { TableName: 'Orders' });
    await client.post('/Orders', { PartitionKey: 'p', RowKey: 'r' });
  });
  afterAll(async () => {
    client.close();
    await service.close();
  });

  const port = () => new URL(service.url).port;
  const sasFor = (...args: string[]) => new URL(sasOf(['--tablePort', port(), ...args]));
  const getAt = ({ pathname, search }: URL) => client.get(`${pathname}${search}`, { prefix: '', auth: 'none' });

  it.each([
    ['a table', ['--table', 'Orders']],
    ['a table, to read', ['--table', 'orders', '--permissions', 'r']],
    ['a range', ['--table', 'Orders', '--startPartition', 'p', '--startRow', 'r', '--endPartition', 'p']],
    ['a time and an address', ['--table', 'Orders', '--start', '2020-01-01', '--ip', '127.0.0.1']],
  ])('for %s gives access to it', async (_what, args) => {
    const answer = await getAt(sasFor(...args));

    expect(answer.status, answer.body).toBe(200);
    expect(answer.rows).toHaveLength(1);
  });

  it('for the account gives access to its tables', async () => {
    const { pathname, search } = sasFor('--permissions', 'l', '--resourceTypes', 'c');

    const answer = await client.get(`${pathname}Tables${search}`, { prefix: '', auth: 'none' });

    expect(answer.rows).toHaveLength(1);
  });

  it('for HTTPS only is rejected over HTTP', async () => {
    expect(await getAt(sasFor('--table', 'Orders', '--httpsOnly'))).toMatchObject({
      headers: { 'x-ms-error-code': 'AuthorizationProtocolMismatch' },
    });
  });

  it('for a policy allows what the policy allows', async () => {
    const policy = '<AccessPolicy><Expiry>2999-01-01</Expiry><Permission>r</Permission></AccessPolicy>';
    const body = `<SignedIdentifiers><SignedIdentifier><Id>readers</Id>${policy}</SignedIdentifier></SignedIdentifiers>`;
    await client.put('/Orders?comp=acl', body, { accept: false, headers: { 'Content-Type': 'application/xml' } });

    expect(await getAt(sasFor('--table', 'Orders', '--policy', 'readers'))).toMatchObject({ status: 200 });
  });
});
