import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSignature } from '../../src/auth/create-signature.js';
import { developmentAccount } from '../../src/protocol/accounts.js';
import { makePlace, type Place } from '../support/program.js';

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

/** Opens a connection that sends this and no more. */
async function open(url: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  clear.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** What a client reads until the server closes its connection. */
async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const part of socket.setEncoding('latin1')) text += part;
  return text;
}

describe('A client that keeps the server waiting', () => {
  it('loses its connection by the bounds that options set', async () => {
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

  it.runIf(process.platform === 'linux')('leaves file handles for others', async () => {
    const { url, child } = await startWith(128);

    for (let client = 0; client < 300; client++) await open(url, [halfHead, halfBody, ''][client % 3] ?? '');

    const health = await fetch(`${url}/_tabularium/health`);
    expect(await health.text()).toBe('{"status":"ready"}\n');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

/** Starts a server that may hold so many file handles. */
async function startWith(handles: number): Promise<{ url: string; child: ChildProcess }> {
  const command = [process.execPath, join(place.folder, 'tabularium'), '--tablePort', '0', '--log', 'json'];
  const limited = ['-c', `ulimit -n ${handles}; exec "$@"`, 'sh', ...command];
  const child = spawn('sh', limited, { cwd: place.folder, stdio: ['ignore', 'pipe', 'inherit'] });
  clear.push(() => child.kill('SIGKILL'));
  let output = '';
  for await (const part of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    output += part;
    const [, url] = readyLine.exec(output) ?? [];
    if (url === undefined) continue;
    child.stdout.resume();
    return { url, child };
  }
  throw new Error(`the server ended: ${output}`);
}
