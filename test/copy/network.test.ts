import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { startTabularium } from '../../src/index.js';
import { copyBetween, exported, manyRows, startTwo } from '../support/copy/copy-between.js';
import { eachInFolder } from '../support/programs/child-server.js';
import { cleanEnvironment, runProgram, serverFile } from '../support/programs/run-program.js';

let folder: string;
eachInFolder((made) => {
  folder = made;
});

it.each(['variable', 'Azure CLI'] as const)(
  'A copy reads an account over HTTPS with a token of the %s',
  async (kind) => {
    await using server = await startTabularium({
      https: true,
      accounts: [{ name: 'tokens', keys: ['a2V5'] }],
      identities: { identities: { reader: { roles: ['Storage Table Data Reader'] } } },
    });
    await server.import([manyRows(1500)]);
    writeFileSync(join(folder, 'ca.pem'), server.certificate ?? '');
    const { token } = await server.credential('reader').getToken('https://storage.azure.com/.default');
    const answer = JSON.stringify({ accessToken: token, expires_on: Math.floor(Date.now() / 1000) + 3600 });
    writeFileSync(join(folder, 'az'), `#!/bin/sh\necho "$@" > '${folder}/asked'\necho '${answer}'\n`);
    chmodSync(join(folder, 'az'), 0o755);
    const fixed = kind === 'variable' ? { TABULARIUM_COPY_TOKEN: token } : {};
    const program = runProgram([process.execPath, serverFile, 'copy', '$FROM', 'all.ndjson'], {
      cwd: folder,
      environment: cleanEnvironment({
        ...fixed,
        FROM: `${server.endpoint()}/Many`,
        NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
        PATH: `${folder}${delimiter}${process.env['PATH']}`,
      }),
    });
    const { code, output, errors } = await program.ended;
    expect({ code, errors: errors.replace(/^.* a second.*\n/gm, '') }).toEqual({ code: 0, errors: '' });
    expect(output).toContain('Many: 1500 read, 1500 written, verified');
    const asked = kind === 'variable' ? undefined : readFileSync(join(folder, 'asked'), 'utf8');
    if (asked) expect(asked).toBe('account get-access-token --resource https://storage.azure.com --output json\n');
  },
);

it('A copy goes through the proxy that a variable names, but not to this machine', async () => {
  await using servers = await startTwo(manyRows(300));
  const { one, other } = servers;
  const hosts: string[] = [];
  // It knows a name that only it can resolve.
  const proxy = createServer((incoming, answer) => {
    hosts.push(incoming.headers.host ?? '');
    const { pathname, search } = new URL(incoming.url ?? '');
    const { method = 'GET', headers } = incoming;
    const outgoing = request(
      { host: '127.0.0.1', port: one.port, method, path: pathname + search, headers },
      (found) => {
        answer.writeHead(found.statusCode ?? 0, found.rawHeaders);
        found.pipe(answer);
      },
    );
    incoming.pipe(outgoing);
  });
  proxy.on('connect', ({ url = '' }, socket, head) => {
    hosts.push(url);
    const upstream = connect(one.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) end.on('error', () => {});
  });
  await new Promise<void>((ready) => proxy.listen(0, '127.0.0.1', ready));
  const { port } = proxy.address() as AddressInfo;
  const from = one.connectionString.replace('127.0.0.1', 'tables.example.com');
  const environment = { HTTP_PROXY: `http://127.0.0.1:${port}` };
  const report = await copyBetween(from, other.connectionString, {}, { environment });
  expect(report.tables).toMatchObject([{ read: 300, verified: 'same' }]);
  expect(await exported(other)).toBe(await exported(one));
  expect([...new Set(hosts)]).toEqual([`tables.example.com:${one.port}`]);
  proxy.closeAllConnections();
  proxy.close();
});
