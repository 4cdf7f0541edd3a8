import { rm } from 'node:fs/promises';
import { AzureNamedKeyCredential, AzureSASCredential, generateTableSas, TableClient } from '@azure/data-tables';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../src/index.js';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { tableOf } from '../support/bodies/instance-tables.js';
import { makeFolder } from '../support/programs/make-folder.js';

const credential = new AzureNamedKeyCredential(developmentAccount.name, developmentAccount.keys[0] ?? '');

describe('The clock of an instance', () => {
  let instance: Tabularium;
  const table = () => tableOf(instance.connectionString, 'People');
  const stampOf = async (rowKey: string) => {
    await table().upsertEntity({ partitionKey: 'p', rowKey });
    return (await table().getEntity('p', rowKey)).timestamp ?? '';
  };
  beforeEach(async () => {
    instance = await startTabularium();
    await table().createTable();
  });
  afterEach(() => instance.close());

  it('stamps entities, each later than the one before', async () => {
    expect(await instance.clock.freeze('2030-01-31T12:00:00Z')).toMatchObject({
      frozen: true,
      now: '2030-01-31T12:00:00.000Z',
    });
    const stamps = [await stampOf('a'), await stampOf('b'), await stampOf('c')];
    expect(stamps.every((stamp) => stamp.startsWith('2030-01-31T12:00:00'))).toBe(true);
    expect(new Set(stamps).size).toBe(3);
    await instance.clock.advance('1h');
    expect(await stampOf('d')).toMatch(/^2030-01-31T13:00:00/);
    expect(await instance.clock.resume()).toMatchObject({ frozen: false });
    expect(await stampOf('e')).toMatch(/^2030-01-31T1[34]:/);
  });

  it('dates answers', async () => {
    await instance.clock.freeze('2031-05-06T07:08:09Z');
    const { headers } = await fetch(instance.endpoint());
    expect(headers.get('date')).toBe('Tue, 06 May 2031 07:08:09 GMT');
  });

  it('decides whether a shared access signature has expired, and leaves Shared Key to the real time', async () => {
    const query = generateTableSas('People', credential, {
      permissions: { query: true },
      expiresOn: new Date(Date.now() + 3_600_000),
    });
    const reader = new TableClient(instance.endpoint(), 'People', new AzureSASCredential(query), {
      allowInsecureConnection: true,
      retryOptions: { maxRetries: 0 },
    });
    await stampOf('a');
    expect(await reader.getEntity('p', 'a')).toMatchObject({ rowKey: 'a' });
    await instance.clock.advance('2h');
    await expect(reader.getEntity('p', 'a')).rejects.toMatchObject({ statusCode: 403 });
    // The SDK signs with the real date.
    expect(await table().getEntity('p', 'a')).toMatchObject({ rowKey: 'a' });
  });

  it('decides whether a stored access policy has begun', async () => {
    const startsOn = new Date(Date.now() + 24 * 3_600_000);
    const accessPolicy = { start: startsOn, expiry: new Date(startsOn.getTime() + 3_600_000), permission: 'r' };
    await table().setAccessPolicy([{ id: 'later', accessPolicy }]);
    const query = generateTableSas('People', credential, { identifier: 'later' });
    const reader = new TableClient(instance.endpoint(), 'People', new AzureSASCredential(query), {
      allowInsecureConnection: true,
      retryOptions: { maxRetries: 0 },
    });
    await stampOf('a');
    await expect(reader.getEntity('p', 'a')).rejects.toMatchObject({ statusCode: 403 });
    await instance.clock.advance('1d');
    await instance.clock.advance('1m');
    expect(await reader.getEntity('p', 'a')).toMatchObject({ rowKey: 'a' });
  });

  it('moves neither the end of a branch nor that of a fault rule', async () => {
    const branch = await instance.branches.create({ for: '10m' });
    await instance.faults.create({ id: 'late', when: { table: 'Other' }, fault: 'ServerBusy', for: '10m' });
    await instance.clock.advance('30d');
    expect(await instance.branches.list()).toMatchObject([{ account: branch.account }]);
    expect(await instance.faults.list()).toMatchObject([{ id: 'late', ended: false }]);
  });

  it.each([
    [() => instance.clock.freeze('2020-01-01'), 'The clock only goes forward'],
    [() => instance.clock.freeze('tomorrow'), "'at' must be an instant in UTC"],
    [() => instance.clock.advance('1 hour'), "'by' must be a length of time"],
  ])('rejects what it cannot do', async (change, message) => {
    await expect(change()).rejects.toThrow(message);
    expect(await instance.clock.show()).toMatchObject({ frozen: false, aheadMs: 0 });
  });
});

describe('The clock of an instance with a folder', () => {
  it('can be read, and not changed', async () => {
    const location = await makeFolder();
    const instance = await startTabularium({ location });
    try {
      expect(await instance.clock.show()).toMatchObject({ frozen: false, aheadMs: 0 });
      await expect(instance.clock.advance('1h')).rejects.toThrow('or allow it with --allowTestClock');
    } finally {
      await instance.close();
      await rm(location, { recursive: true });
    }
  });
});
