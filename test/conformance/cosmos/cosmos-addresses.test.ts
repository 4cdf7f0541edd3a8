import { expect, it } from 'vitest';
import { expectCosmosError } from '../../support/answers/cosmos-answers.js';
import { describeService } from '../../support/servers/describe-service.js';

const entity = { PartitionKey: 'p', RowKey: 'r' };

// Source: cosmos 15.15; cosmos 15.19.
describeService(
  'Cosmos DB, addresses',
  ({ client, withTable, service }) => {
    it.each([
      ['GET', '/T/Tables'],
      ['POST', '/T/Tables'],
      ['DELETE', "/T/Tables('T')"],
      ['POST', '/T/$batch'],
      ['GET', '/T/T()'],
      ['POST', '/T/T'],
      ['GET', '/T/Tables/more'],
      ['DELETE', "/Tables('%2F%2F')"],
      ['POST', '/%2F%2F'],
      ['GET', '/T%2FTables'],
      ['GET', '/T/(PartitionKey=%27p%27,RowKey=%27r%27)'],
      ['GET', '//'],
    ])('rejects %s %s, whatever is asked for', async (method, path) => {
      const table = await withTable();

      for (const accept of ['application/json;odata=minimalmetadata', 'application/json']) {
        const body = method === 'POST' ? { TableName: table } : undefined;
        const answer = await client.send(method, path.replaceAll('T', table).replaceAll(`${table}ables`, 'Tables'), {
          ...{ body, accept },
        });

        expectCosmosError(answer, {
          ...{ status: 400, code: 'InvalidInput', message: 'Request url is invalid.' },
          ...{ form: 'long', level: 'fullmetadata' },
        });
      }
    });

    it('takes writes on the secondary endpoint, which its answers name', async () => {
      const table = await withTable();
      const { url, account } = service();
      const prefix = `/${account.name}-secondary`;
      const path = `/${table}(PartitionKey='p',RowKey='r')`;

      const inserted = await client.post(`/${table}`, entity, { prefix });
      const updated = await client.put(path, { A: 1 }, { prefix });
      const created = await client.post('/Tables', { TableName: `${table}Second` }, { prefix });
      const read = await client.get(path);
      const deleted = await client.delete(path, { prefix, ifMatch: '*' });

      const statuses = [inserted, updated, created, read, deleted].map(({ status }) => status);
      expect(statuses).toEqual([201, 204, 201, 200, 204]);
      expect(inserted.headers['location']).toBe(`${url}${prefix}${path}`);
      expect(inserted.json['odata.metadata']).toBe(`${url}${prefix}/${table}/$metadata#${table}/@Element`);
      expect(created.headers['location']).toBe(`${url}${prefix}/Tables('${table}Second')`);
    });

    it('takes transactions on the secondary endpoint', async () => {
      const table = await withTable();
      const { account, url } = service();
      const prefix = `/${account.name}-secondary`;
      const operation = `POST ${url}${prefix}/${table} HTTP/1.1\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(entity)}\r\n`;
      const set = `Content-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\n${operation}--c--\r\n`;

      const answer = await client.post('/$batch', `--b\r\n${set}--b--\r\n`, {
        prefix,
        headers: { 'Content-Type': 'multipart/mixed; boundary=b' },
      });

      expect([answer.status, answer.body.includes('HTTP/1.1 201 Created')]).toEqual([202, true]);
      expect(answer.body).toContain(`Location: ${url}${prefix}/${table}(`);
    });

    it('takes writes on the host of the secondary endpoint', async () => {
      const table = await withTable();
      const { account, url } = service();
      const host = `${account.name}-secondary:${new URL(url).port}`;

      const answer = await client.post(`/${table}`, entity, { headers: { Host: host } });

      expect([answer.status, answer.headers['location']]).toEqual([
        201,
        `http://${host}/${table}(PartitionKey='p',RowKey='r')`,
      ]);
    });
  },
  { cosmos: true },
);
