import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../../docker/nc.mjs', import.meta.url));

/** Runs the program. Returns its exit code. */
function nc(...words: readonly string[]): Promise<number | string | null | undefined> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...words], (error) => resolve(error ? error.code : 0));
  });
}

/** Listens on a free port until the test ends. */
async function listen(): Promise<string> {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return String((server.address() as AddressInfo).port);
}

describe('nc in the images', () => {
  it.each([['HOST PORT -z'], ['-z HOST PORT'], ['-zv HOST PORT'], ['-v -z -w 2 HOST PORT'], ['-zw1 HOST PORT']])(
    'says that a port is open: nc %s',
    async (line) => {
      const port = await listen();
      expect(await nc(...line.replace('HOST', '127.0.0.1').replace('PORT', port).split(' '))).toBe(0);
    },
  );

  it('says that a port is closed', async () => {
    expect(await nc('127.0.0.1', '1', '-z')).toBe(1);
  });

  it.each([['127.0.0.1 10000'], ['-z 127.0.0.1'], ['-z 127.0.0.1 none'], ['-l 10000'], ['-z -w x 127.0.0.1 1'], ['']])(
    'rejects what it cannot do: nc %s',
    async (line) => {
      expect(await nc(...line.split(' ').filter(Boolean))).toBe(2);
    },
  );
});
