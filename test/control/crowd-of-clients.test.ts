import { expect, it } from 'vitest';
import { startTabularium } from '../../src/index.js';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { type RawAnswer, RawConnection, signedHead } from '../support/clients/raw-connection.js';
import { ServiceClient } from '../support/clients/service-client.js';
import type { RunningService } from '../support/servers/start-service.js';

const clients = 60;
const rounds = 2;

it('A crowd of clients gets each answer in order, and the journal has it exactly once by then', async () => {
  const server = await startTabularium();
  const service = { url: server.url, base: server.endpoint(), account: developmentAccount } as RunningService;
  const client = new ServiceClient(() => service);
  await client.post('/Tables', { TableName: 'People' });
  await client.post('/People', { PartitionKey: 'p', RowKey: 'r', Name: 'Ada' });

  /** One request of each kind, in the order in which a connection sends them without waiting for answers. */
  const asked = (id: string) => {
    const head = (method: string, path: string, at: number, more: Readonly<Record<string, string>> = {}) =>
      signedHead(service, method, path, { 'x-ms-client-request-id': `${id}-${at}`, ...more });
    const text = [
      head('GET', "/People(PartitionKey='p',RowKey='r')", 0),
      head('GET', "/People(PartitionKey='p',RowKey='none')", 1),
      head('DELETE', "/People(PartitionKey='p',RowKey='none')", 2, { 'If-Match': '*' }),
      head('GET', '/People()', 3),
      head('GET', "/People(PartitionKey='p',RowKey='r')", 4),
    ].join('');
    return { text, statuses: [200, 404, 404, 200, 200] };
  };

  const connections = await Promise.all(Array.from({ length: clients }, () => RawConnection.open(service)));
  const ids: string[] = [];
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      connections.map(async (connection, at) => {
        const { text, statuses } = asked(`${round}-${at}`);
        const written = connection.write(text);
        const answers: (RawAnswer | undefined)[] = [];
        for (const _ of statuses) answers.push(await connection.answer());
        await written;
        expect(answers.map((answer) => answer?.status)).toEqual(statuses);
        const sent = answers.map((answer) => answer?.headers['x-ms-client-request-id']);
        expect(sent).toEqual(statuses.map((_, of) => `${round}-${at}-${of}`));
        ids.push(...answers.map((answer) => answer?.headers['x-ms-request-id'] ?? ''));
        // Its own requests only: reading all would take more time than all requests.
        const known = (await server.requests.list({ text: `${round}-${at}-` })).map(
          ({ CorrelationId }) => CorrelationId,
        );
        expect(known.toSorted()).toEqual(answers.map((answer) => answer?.headers['x-ms-request-id']).toSorted());
      }),
    );
  }
  const kept = (await server.requests.list({ limit: 4096 })).map(({ CorrelationId }) => CorrelationId);
  expect(kept.filter((id) => ids.includes(id)).toSorted()).toEqual(ids.toSorted());
  expect(ids).toHaveLength(clients * rounds * 5);

  for (const connection of connections) connection.destroy();
  client.close();
  await server.close();
});
