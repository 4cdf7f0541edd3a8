import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TableClient } from '@azure/data-tables';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { writeConnectionString } from '../../src/protocol/access/connection-string.js';
import { type ServerProcess, startProcess } from '../../src/vscode/server/server-process.js';
import { builtFile } from '../support/programs/check-built.mjs';
import { makeFolder } from '../support/programs/make-folder.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('The server of an editor', () => {
  let folder: string;
  let program: string;
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    builtFile('dist/main.js');
    folder = await makeFolder();
    // As the build of the extension lays the files out.
    const server = join(folder, 'server');
    program = join(server, 'run-server.mjs');
    await mkdir(server);
    await symlink(join(root, 'dist'), join(server, 'dist'), 'junction');
    await copyFile(join(root, 'src/vscode/server/run-server.mjs'), program);
    await copyFile(join(root, 'docker/azurite/end-with-parent.mjs'), join(server, 'end-with-parent.mjs'));
  });
  afterAll(() => Promise.all(servers.map((one) => one.stop())));

  const wordsFor = (name: string, port = 0) => [`--tablePort=${port}`, `--location=${join(folder, name)}`];
  async function start(words: readonly string[], log: (line: string) => void = () => {}) {
    const server = await startProcess({ program, words, folder, environment: {}, log });
    servers.push(server);
    return server;
  }
  const tableAt = (url: string) =>
    TableClient.fromConnectionString(writeConnectionString(url, developmentAccount), 'Orders', {
      allowInsecureConnection: true,
    });

  it('listens where it says, logs, and stops with its data closed', async () => {
    const lines: string[] = [];
    const server = await start(wordsFor('stopped'), (line) => lines.push(line));
    expect((await fetch(`${server.url}/_tabularium/health`)).status).toBe(200);
    await server.stop();
    await server.ended;
    expect(lines.join('\n')).toContain(`Explorer: ${server.url}/_tabularium/`);
    await expect(fetch(`${server.url}/_tabularium/health`)).rejects.toThrow('fetch failed');
  });

  it('says in its own words why it did not start', async () => {
    const { port } = new URL((await start(wordsFor('first'))).url);
    await expect(start(wordsFor('second', Number(port)))).rejects.toThrow(/EADDRINUSE.*Another server uses the port/);
    await expect(start(['--tablePort=x'])).rejects.toThrow(/tablePort/);
  });

  it('ends when its editor is killed, and has each write that it acknowledged', async () => {
    const source = `import { startProcess } from ${JSON.stringify(join(root, 'src/vscode/server/server-process.ts'))};
      const words = ${JSON.stringify(wordsFor('killed'))};
      const { url } = await startProcess({ program: ${JSON.stringify(program)}, words, folder: '.', environment: {}, log() {} });
      console.log(url);`;
    const { outputFiles } = await build({
      stdin: { contents: source, resolveDir: root, loader: 'ts' },
      ...{ bundle: true, platform: 'node', format: 'esm', write: false },
    });
    await writeFile(join(folder, 'editor.mjs'), outputFiles[0]?.contents ?? '');
    const editor: ChildProcess = spawn(process.execPath, [join(folder, 'editor.mjs')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = (await once(editor.stdout as NonNullable<ChildProcess['stdout']>, 'data')) as [Buffer];
    const url = String(text).trim();
    const table = tableAt(url);
    await table.createTable();
    for (let at = 0; at < 20; at++) await table.createEntity({ partitionKey: 'p', rowKey: String(at) });
    editor.kill('SIGKILL');
    await expect.poll(() => fetch(url).catch((error: Error) => error.message)).toBe('fetch failed');

    const again = await start(wordsFor('killed'));
    const rows: unknown[] = [];
    for await (const { rowKey } of tableAt(again.url).listEntities()) rows.push(rowKey);
    expect(rows).toHaveLength(20);
  });
});
