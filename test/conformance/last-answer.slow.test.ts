import { expect, it } from 'vitest';
import { batchBoundary, insert, writeChangeSet } from '../support/bodies/batch-tools.js';
import { RawConnection, signedHead } from '../support/clients/raw-connection.js';
import { describeService } from '../support/servers/describe-service.js';

const row = (RowKey: string) => ({ PartitionKey: 'p', RowKey });
const json = { 'Content-Type': 'application/json' };
const batch = { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` };

type Headers = Readonly<Record<string, string>>;
type SampleRequest = readonly [title: string, method: string, path: string, Headers, body: (id: string) => string];

/** One request for each kind of answer. The id makes its row unique. */
const requests: readonly SampleRequest[] = [
  ['with a body', 'GET', '/Tables', {}, () => ''],
  ['without a body', 'POST', '/Last', { ...json, Prefer: 'return-no-content' }, (id) => JSON.stringify(row(id))],
  ['to a transaction', 'POST', '/$batch', batch, (id) => writeChangeSet([insert('Last', row(id))])],
  ['to a failed transaction', 'POST', '/$batch', batch, () => writeChangeSet([insert('None', row('r'))])],
  ['with an error of a table', 'POST', '/Tables', json, () => '{"TableName":"Last"}'],
  ['with an error of an entity', 'GET', "/Last(PartitionKey='p',RowKey='none')", {}, () => ''],
  ['with an error of the sender', 'GET', '/Tables', { Authorization: 'SharedKey a:b' }, () => ''],
  ['to HEAD', 'HEAD', '/Tables', {}, () => ''],
];

// Source: RFC 9112, section 9.6.
for (const options of [{}, { https: true }, { cosmos: true }, { cosmos: true, https: true }] as const) {
  describeService(
    `Connections over HTTP${'https' in options ? 'S' : ''}${'cosmos' in options ? ', Cosmos DB' : ''}`,
    ({ service }) => {
      let sent = 0;
      /** Sends a request on a new connection, with this version of HTTP and this `Connection`. Returns both with the answer. */
      const send = async ([, method, path, headers, body]: SampleRequest, version: string, Connection: string) => {
        const text = body(`r${sent++}`);
        const sized = { ...headers, ...(method === 'POST' && { 'Content-Length': String(text.length) }), Connection };
        const connection = await RawConnection.open(service());
        const head = signedHead(service(), method, path, sized).replace('HTTP/1.1', `HTTP/${version}`);
        await connection.write(head + text);
        return { connection, answer: await connection.answer(method) };
      };

      it.each(requests)('are closed after an answer that says so, %s', async (...request) => {
        for (const [version, wanted] of [
          ['1.1', 'close'],
          ['1.1', 'Keep-Alive, Close'],
          ['1.0', 'x'],
        ] as const) {
          const { connection, answer } = await send(request, version, wanted);

          expect(answer?.headers).toMatchObject({ connection: 'close' });
          await connection.closed();
        }
      });

      it.each(requests)('stay open after an answer that does not say otherwise, %s', async (...request) => {
        const newer = await send(request, '1.1', 'keep-alive');
        const older = await send(request, '1.0', 'keep-alive');

        // Node.js ends a connection of HTTP/1.0 after an answer without a length, such as 204 of Cosmos DB.
        const isSized = older.answer?.headers['content-length'] !== undefined;
        expect(newer.answer?.headers).not.toHaveProperty('connection');
        expect(older.answer?.headers['connection']).toBe(isSized ? 'keep-alive' : 'close');
        for (const { connection } of isSized ? [newer, older] : [newer]) {
          await connection.write(signedHead(service(), 'GET', '/Tables'));
          expect((await connection.answer())?.status).toBe(200);
          connection.destroy();
        }
      });
    },
    { ...options, ownOnly: 'needs listeners of each kind' },
  );
}
