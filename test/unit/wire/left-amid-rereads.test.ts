import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { signedHead } from '../../support/clients/raw-connection.js';
import { makeFolder } from '../../support/programs/make-folder.js';
import { type RunningService, startService } from '../../support/servers/start-service.js';

/** Requests that the server reads with the next parser, and others. */
const requests = {
  upgrade: (service: RunningService) =>
    signedHead(service, 'GET', '/Tables', { Connection: 'upgrade', Upgrade: 'h2c' }),
  'bare UTF-8': (service: RunningService) => signedHead(service, 'GET', '/Tables?é'),
  plain: (service: RunningService) => signedHead(service, 'GET', '/Tables'),
  last: (service: RunningService) => signedHead(service, 'GET', '/Tables', { Connection: 'close' }),
  malformed: () => 'nonsense\r\n\r\n',
};
const kinds = Object.values(requests);
const triples = kinds.flatMap((one) => kinds.flatMap((other) => kinds.map((third) => [one, other, third])));

it.each([
  ['ends its side', 'end'],
  ['ends the connection', 'destroy'],
] as const)(
  'a client that %s amid requests that are read again leaves no connection to the server',
  {
    timeout: 30_000,
  },
  async (_, leave) => {
    const service = await startService();
    for (const triple of triples) {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {});
      await once(socket, 'connect');
      socket.write(triple.map((write) => write(service)).join(''), () => socket[leave]());
      await once(socket.resume(), 'close');
    }
    // It waits for every connection.
    await service.close();
    expect(service.takeLoggedErrors()).toEqual([]);
  },
);

it('a stop amid a write that is read again does not let it reach the closed store', async () => {
  const location = await makeFolder();
  for (let turns = 0; turns < 5; turns++) {
    const service = await startService({ location });
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    const json = { 'Content-Type': 'application/json' };
    const table = '{"TableName":"Table"}';
    socket.write(`${signedHead(service, 'POST', '/Tables', { ...json, 'Content-Length': '21' })}${table}`);
    await once(socket, 'data');
    const headers = { ...json, Connection: 'upgrade', Upgrade: 'h2c', 'Content-Length': '2' };
    socket.write(`${signedHead(service, 'PUT', "/Table(PartitionKey='p',RowKey='r')", headers)}{}`);
    for (let turn = 0; turn < turns; turn++) await setImmediate();
    await service.close();
    expect(service.takeLoggedErrors()).toEqual([]);
    socket.destroy();
  }
  await rm(location, { recursive: true });
});
