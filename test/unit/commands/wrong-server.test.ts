import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unreached } from '../../../src/client/http-transport.js';
import { commandVerbs } from '../../../src/commands/verbs/find-verb.js';
import { startTabularium, type Tabularium } from '../../../src/index.js';
import { shellWords } from '../../support/docs/shell-words.js';
import { freePort } from '../../support/programs/free-port.mjs';
import { makeFolder } from '../../support/programs/make-folder.js';
import { runLine } from '../../support/programs/run-line.js';
import { startHttpsService } from '../../support/servers/https-service.js';
import { startService } from '../../support/servers/start-service.js';

/** What the command says that asks a server. */
const errorsAt = async (url: string, environment: NodeJS.ProcessEnv = {}) =>
  (await runLine(['tables', '--url', url], environment)).errors.trimEnd();

describe.each([
  ['text/html', '<!doctype html><p>All paths lead here</p>'],
  ['application/json', '{"hello":1}'],
  ['application/x-ndjson', 'null\n'],
])('Another program on the port that answers everything with 200 and %s', (contentType, body) => {
  const other = createServer((_request, response) => void response.setHeader('Content-Type', contentType).end(body));
  let url = '';
  beforeAll(async () => {
    await once(other.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  });
  afterAll(() => void other.close());

  const asking = commandVerbs.filter(({ isLocal, name }) => !isLocal && name !== 'health');

  it.each(asking.map(({ name, example }) => [name, example]))(
    'is not taken for Tabularium by %s',
    async (_name, line) => {
      const place = join(await makeFolder(), 'data');
      const words = shellWords(line).map((word) => (/\.\w+$/.test(word) ? place : word));
      if (words[0] === 'import') words.splice(1, words.length, 'package.json');
      expect(await runLine([...words, '--url', url])).toEqual({
        code: 2,
        out: '',
        errors: `The server at ${url} is not Tabularium: status 200. Start one, or name another one with --url or TABULARIUM_URL.\n`,
      });
      expect(existsSync(place)).toBe(false);
    },
  );
});

describe('A server that cannot be asked', () => {
  it('is not there', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await errorsAt(url)).toMatch(`No server answers at ${url}: connect ECONNREFUSED`);
  });

  it('speaks the other scheme', async () => {
    const [plain, secure] = await Promise.all([startService(), startHttpsService()]);
    const [asHttps, asHttp] = [plain.url.replace('http:', 'https:'), secure.url.replace('https:', 'http:')];
    expect(await errorsAt(asHttps)).toMatch(`: the server there does not speak HTTPS. Try ${plain.url}. `);
    expect(await errorsAt(asHttp)).toMatch(`: it closed the connection. If it speaks HTTPS, try ${secure.url}. `);
    await Promise.all([plain.close(), secure.close()]);
  });

  describe('without a token', () => {
    let server: Tabularium;
    beforeAll(async () => {
      server = await startTabularium({ admin: 'token', adminToken: 'a-token-of-the-server' });
    });
    afterAll(() => server.close());

    it('names the variable of the token', async () => {
      const hint = 'Set TABULARIUM_ADMIN_TOKEN to the token of the server.';
      expect(await errorsAt(server.url)).toBe(`${server.url} needs a token. ${hint}`);
      const wrong = { TABULARIUM_ADMIN_TOKEN: 'another' };
      expect(await errorsAt(server.url, wrong)).toBe(`${server.url} does not accept this token. ${hint}`);
      expect(await errorsAt(server.url, { TABULARIUM_ADMIN_TOKEN: 'a-token-of-the-server' })).toBe('');
    });
  });

  it('gets a token with the end of a line', async () => {
    const server = await startService();
    expect(await errorsAt(server.url, { TABULARIUM_ADMIN_TOKEN: 'token\r' })).toBe(
      'The token has a character that no header may have. Is there the end of a line in TABULARIUM_ADMIN_TOKEN?',
    );
    await server.close();
  });

  it('gets a request that is too long', async () => {
    const server = await startService();
    const { errors } = await runLine(['why', 'a'.repeat(270_000), '--url', server.url]);
    expect(errors).toBe(`${server.url} rejects the request: its URL and headers are too long.\n`);
    await server.close();
  });

  it.each([
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      "IP: 10.0.0.1 is not in the cert's list: ",
      'its certificate is for other names. Use one of them.',
    ],
    [
      'EPROTO',
      'write EPROTO 0A:error:0A000410:SSL routines:ssl3_read_bytes:ssl/tls alert handshake failure:../ssl/rec.c:900:\n',
      'ssl/tls alert handshake failure.',
    ],
    [
      'EPROTO',
      'write EPROTO 0A:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../ssl/rec.c:354:\n',
      'the server there does not speak HTTPS. Try http://a.',
    ],
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'self-signed certificate',
      'self-signed certificate. Set NODE_EXTRA_CA_CERTS to its certificate.',
    ],
  ])('has a fault of TLS: %s, %s', (code, message, said) => {
    expect(unreached(Object.assign(new Error(message), { code }), 'https://a')).toBe(said);
  });

  it('was started without control endpoints', async () => {
    const server = await startTabularium({ admin: 'off' });
    expect(await errorsAt(server.url)).toBe(
      `${server.url}: There is nothing at /_tabularium/tables. The server was started with --admin off.`,
    );
    await server.close();
  });
});
