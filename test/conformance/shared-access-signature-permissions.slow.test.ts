import { beforeAll, describe, expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import type { RequestOptions } from '../support/clients/service-client.js';
import { describeService } from '../support/servers/describe-service.js';
import {
  type AccessFields,
  accountAccess,
  allOfAccount,
  allOfTable,
  tableAccess,
  withAccess,
} from '../support/signatures/sign-access.js';
import { lettersOf, rejectionOfAccount, rejectionOfTable, rights } from '../support/signatures/sign-access-rights.js';

const entity = "/Rights(PartitionKey='p',RowKey='r')";
const missing = "/Rights(PartitionKey='p',RowKey='none')";
const service = (comp: string) => `/?restype=service&comp=${comp}`;
const settings = '<StorageServiceProperties><Cors /></StorageServiceProperties>';

/** Requests of each operation that change nothing. */
const requests: Readonly<
  Record<string, readonly (readonly [method: string, path: string, options?: RequestOptions])[]>
> = {
  'Query Tables': [['GET', '/Tables']],
  'Get Table': [['GET', "/Tables('Rights')"]],
  'Create Table': [['POST', '/Tables', { body: { TableName: 'Rights' } }]],
  'Delete Table': [['DELETE', "/Tables('Missing')"]],
  'Query Entities': [
    ['GET', '/Rights()'],
    ['GET', entity],
  ],
  'Insert Entity': [['POST', '/Rights', { body: { PartitionKey: 'p', RowKey: 'r' } }]],
  'Insert Or Replace Entity': [['PUT', entity, { body: {} }]],
  'Insert Or Merge Entity': [
    ['MERGE', entity, { body: {} }],
    ['PATCH', entity, { body: {} }],
    ['POST', entity, { body: {}, headers: { 'X-HTTP-Method': 'MERGE' } }],
  ],
  'Update Entity': [['PUT', entity, { body: {}, ifMatch: '*' }]],
  'Merge Entity': [
    ['MERGE', entity, { body: {}, ifMatch: '*' }],
    ['PATCH', entity, { body: {}, ifMatch: '*' }],
  ],
  'Delete Entity': [['DELETE', missing, { ifMatch: '*' }]],
  'Get Table Service Properties': [['GET', service('properties')]],
  'Set Table Service Properties': [['PUT', service('properties'), { body: settings }]],
  'Get Table Service Stats': [['GET', service('stats')]],
  'Get Table ACL': [['GET', '/Rights?comp=acl']],
  'Set Table ACL': [['PUT', '/Rights?comp=acl', { body: '' }]],
};

describeService('Permissions of shared access signatures', ({ client }) => {
  beforeAll(async () => {
    await client.post('/Tables', { TableName: 'Rights' });
    await client.post('/Rights', { PartitionKey: 'p', RowKey: 'r' });
  });

  /** Sends the requests of an operation, and expects each to be rejected with this code, or none to be rejected. */
  const expectRejection = async (operation: string, access: AccessFields, code: string | undefined) => {
    for (const [method, path, options] of requests[operation] ?? expect.fail(operation)) {
      const xml = path.includes('comp=');
      const answer = await client.send(method, withAccess(path, access), {
        ...options,
        auth: 'none',
        ...(xml && { accept: 'application/xml' }),
      });
      if (code !== undefined) expectTableError(answer, 403, code, { set: xml ? 'A3' : 'B2' });
      else expect(answer.status, `${method} ${path} by ${access.srt ?? access.tn} ${access.sp}`).not.toBe(403);
    }
  };

  it('has a request of every operation', () => {
    expect(Object.keys(requests)).toEqual(rights.map(({ operation }) => operation));
  });

  describe.each(['s', 'c', 'o', 'sc', 'so', 'co'])('of an account with srt=%s', (srt) => {
    it.each(rights)('$operation', async (right) => {
      for (const sp of lettersOf(allOfAccount)) {
        await expectRejection(right.operation, accountAccess({ srt, sp }), rejectionOfAccount(right, srt, sp));
      }
    });
  });

  describe('of a table', () => {
    it.each(rights)('$operation', async (right) => {
      for (const sp of lettersOf(allOfTable)) {
        await expectRejection(right.operation, tableAccess('rights', { sp }), rejectionOfTable(right, sp));
      }
    });
  });
});
