import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { askServer } from '../../../src/vitest/ask-server.js';

it.each([200, 404])('Another program that answers %i is not taken for a server', async (status) => {
  const other = createServer((_request, response) => response.writeHead(status).end('{}')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const endpoint = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const question = { method: 'DELETE', path: '/branches/b', body: {}, mayBeMissing: true } as const;
  await expect(askServer({ endpoint, adminToken: undefined }, question)).rejects.toThrow(
    `The server at ${endpoint} is not Tabularium: status ${status}.`,
  );
  other.close();
});
