import { beforeAll, expect, it } from 'vitest';
import { describeHttpsService } from '../../support/servers/https-service.js';
import {
  IdentityCalls,
  type SampleName,
  sampleIdentities,
  tokenOf,
} from '../../support/signatures/identity-service.js';

const rejected = '403 AuthorizationPermissionMismatch';
const noPolicies = '404 ResourceNotFound';

/** What a contributor of data gets. The others differ from it. */
const contributor = {
  'Query Tables': '200',
  'Get Table': '200',
  'Create Table': '201',
  'Delete Table': '204',
  'Query Entities': '200',
  'Get Entity': '200',
  'Insert Entity': '201',
  'Insert Or Merge Entity': '204',
  'Insert Or Replace Entity': '204',
  'Merge Entity': '204',
  'Update Entity': '204',
  'Delete Entity': '404 ResourceNotFound',
  'Get Table Service Properties': rejected,
  'Get Table ACL': noPolicies,
  'Get Table ACL, 2025-07-05': rejected,
  Transaction: '202/201',
};

/** What an identity without a role gets. */
const nothing = {
  ...Object.fromEntries(Object.keys(contributor).map((operation) => [operation, rejected])),
  'Get Table ACL': noPolicies,
  Transaction: '202/403',
};

type Operation = keyof typeof contributor;

/** Returns what the contributor gets for these operations, and `nothing` for the others. */
function only(...operations: readonly Operation[]): Readonly<Record<string, string>> {
  return { ...nothing, ...Object.fromEntries(operations.map((operation) => [operation, contributor[operation]])) };
}

const tableReads = ['Query Tables', 'Get Table'] as const;
const reads = ['Query Entities', 'Get Entity'] as const;
const inserts = ['Insert Entity', 'Transaction'] as const;
const upserts = ['Insert Or Merge Entity', 'Insert Or Replace Entity'] as const;
const updates = ['Merge Entity', 'Update Entity'] as const;

/** What each sample identity gets on the table `people`. Source: identity 4. */
const expected: Readonly<Record<SampleName, Readonly<Record<string, string>>>> = {
  app1: contributor,
  reader: only(...tableReads, ...reads),
  owner: {
    ...only(...tableReads, 'Create Table', 'Delete Table'),
    'Get Table Service Properties': '200',
    'Get Table ACL, 2025-07-05': '200',
  },
  delegator: nothing,
  'people-only': only('Get Table', ...reads, ...inserts, ...upserts, ...updates, 'Delete Entity'),
  elsewhere: nothing,
  adder: only(...inserts),
  'adder-and-updater': only(...inserts, ...upserts, ...updates),
  careful: only(...tableReads, ...reads, ...inserts, ...upserts, ...updates),
  nobody: nothing,
};

describeHttpsService(
  'An identity',
  (tools) => {
    const { client, service } = tools;
    beforeAll(async () => {
      for (const TableName of ['people', 'other']) {
        await client.send('POST', '/Tables', { body: { TableName } });
        await client.send('POST', `/${TableName}`, { body: { PartitionKey: 'p', RowKey: 'fixed' } });
      }
    });
    const callsOf = async (name: string) => new IdentityCalls(tools, await tokenOf(service(), name));

    it.each(Object.keys(expected) as SampleName[])(
      'may do what its roles permit, and nothing else: %s',
      async (name) => {
        expect(await (await callsOf(name)).all()).toEqual(expected[name]);
      },
    );

    it('with a role on one table has no right on another', async () => {
      const answers = await (await callsOf('people-only')).all('other');

      expect(answers).toEqual(nothing);
    });

    it('with a role on a table has it in any letter case of the name', async () => {
      expect(await (await callsOf('people-only')).send('GET', '/PEOPLE()')).toBe('200');
    });

    it('that may only read writes nothing with a transaction', async () => {
      const reader = await callsOf('reader');

      expect(await reader.transaction('people', { PartitionKey: 'p', RowKey: 'never' })).toBe('202/403');
      expect(await reader.send('GET', "/people(PartitionKey='p',RowKey='never')")).toBe('404 ResourceNotFound');
    });

    it('reports a missing table before a missing role', async () => {
      expect(await (await callsOf('nobody')).send('GET', '/missing()')).toBe('404 TableNotFound');
    });

    it('does not keep keys from working', async () => {
      expect(await client.send('GET', '/Tables')).toMatchObject({ status: 200 });
    });
  },
  { identity: sampleIdentities },
);

describeHttpsService(
  'An account that rejects keys',
  (tools) => {
    const { client, service } = tools;
    const rejected = { status: 403, headers: { 'x-ms-error-code': 'KeyBasedAuthenticationNotPermitted' } };

    it('rejects Shared Key, whether or not the signature is right', async () => {
      expect(await client.send('GET', '/Tables')).toMatchObject(rejected);
      expect(
        await client.send('GET', '/Tables', {
          auth: 'none',
          headers: { authorization: 'SharedKey devstoreaccount1:x' },
        }),
      ).toMatchObject(rejected);
    });

    it.each(['ss=t&srt=sco', 'tn=people'])('rejects a shared access signature by a key: %s', async (fields) => {
      const query = `sv=2019-02-02&${fields}&sp=r&se=2099-01-01&sig=x`;

      expect(await client.send('GET', `/people()?${query}`, { auth: 'none' })).toMatchObject(rejected);
    });

    it('serves identities', async () => {
      const calls = new IdentityCalls(tools, await tokenOf(service(), 'app1'));

      expect(await calls.send('GET', '/Tables')).toBe('200');
    });
  },
  { identity: { ...sampleIdentities, keys: 'rejected' } },
);
