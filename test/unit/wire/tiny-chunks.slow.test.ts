import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readBody } from '../../../src/wire/read-body.js';

const clients = 5;

/** Sends a body in equal chunks from each client. Returns how many bytes each turn of the event loop has received in the meantime. */
async function bytesOfTurns(chunk: string, count: number): Promise<readonly number[]> {
  const sockets = new Set<Socket>();
  const lengths: number[] = [];
  const server = createServer(async (request, response) => {
    sockets.add(request.socket);
    lengths.push((await readBody(request)).length);
    response.end();
  });
  await once(server.listen(0), 'listening');
  const { port } = server.address() as AddressInfo;
  const body = `${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(count);
  const connections = Array.from({ length: clients }, () => connect(port));
  for (const connection of connections)
    connection.resume().write(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`);
  const turns: number[] = [];
  for (let total = 0; lengths.length < clients; ) {
    await nextTurn();
    const now = [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    if (now > total) turns.push(now - total);
    total = now;
  }
  for (const connection of connections) connection.destroy();
  server.close();
  expect(lengths).toEqual(Array(clients).fill(chunk.length * count));
  return turns;
}

/** Returns the value in the middle. The first reads of all bodies may come together. */
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** Node.js reads a socket in pieces of this size. */
const readBytes = 64 * 1024;

it('Bodies of tiny chunks are read one in each turn of the event loop, a piece at a time', async () => {
  const turns = await bytesOfTurns('x', 80_000);
  expect(median(turns)).toBeLessThanOrEqual(readBytes);
  expect(Math.max(...turns)).toBeLessThanOrEqual(clients * readBytes);
});

it('Bodies of long chunks are read side by side', async () => {
  expect(median(await bytesOfTurns('x'.repeat(32 * 1024), 100))).toBeGreaterThan(2 * readBytes);
});
