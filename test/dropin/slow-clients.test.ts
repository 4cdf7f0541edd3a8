import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSignature } from '../../src/auth/create-signature.js';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { makePlace, type Place } from '../support/programs/place.js';

let place: Place;
const clear: (() => void)[] = [];
beforeEach(async () => {
  place = await makePlace('tabularium');
});
afterEach(async () => {
  for (const one of clear.splice(0)) one();
  await place.clear();
});

const readyLine = /^Tabularium Table service is successfully listening at (\S+)\n/m;
const { name, keys } = developmentAccount;
const access = createSignature({ tn: 'Table', sp: 'a', se: '2099-01-01' }, name, keys[0] ?? '');
const halfHead = `GET /${name}/Tables HTTP/1.1\r\nHost: localhost\r\nX: `;
const halfBody =
  `POST /${name}/Table?${access} HTTP/1.1\r\nHost: localhost\r\n` +
  'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{';

/** Opens a connection, sends a text and then nothing more. */
async function open(url: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  clear.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** Reads until the server closes the connection. */
async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const part of socket.setEncoding('latin1')) text += part;
  return text;
}

describe('A client that keeps the server waiting', () => {
  it('is disconnected after the time limits of the options', async () => {
    const bounds = ['--tableHeadersTimeout', '1', '--tableBodyTimeout', '1', '--tableKeepAliveTimeout', '3'];
    const server = place.start('tabularium', ['--tablePort', '0', '--inMemoryPersistence', ...bounds]);
    const [, url = ''] = await server.until(readyLine);

    const texts = await Promise.all([halfHead, halfBody, ''].map(async (text) => readAll(await open(url, text))));

    expect(texts.map((text) => text.split('\r\n')[0])).toEqual([
      'HTTP/1.1 408 Request Timeout',
      'HTTP/1.1 408 Request Timeout',
      '',
    ]);
  });

  it.runIf(process.platform === 'linux')('does not use up the file handles of other clients', async () => {
    const args = ['--tablePort', '0', '--log', 'json'];
    const server = place.start('tabularium', args, {}, { openFilesMax: 128 });
    const [, url = ''] = await server.until(readyLine);

    for (let client = 0; client < 300; client++) await open(url, [halfHead, halfBody, ''][client % 3] ?? '');

    const health = await fetch(`${url}/_tabularium/health`);
    expect(await health.text()).toBe('{"status":"ready"}\n');
    server.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
  });
});
