import { execFileSync } from 'node:child_process';
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eachInFolder, startChild } from '../../support/programs/child-server.js';
import { cleanEnvironment, runProgram, serverFile } from '../../support/programs/run-program.js';

let folder: string;
eachInFolder((made) => {
  folder = made;
});

/** Returns the lines of a table, as an export has them. */
function tableOf(name: string, rows: number): string {
  const entities = Array.from({ length: rows }, (_, at) =>
    JSON.stringify({ PartitionKey: 'p', RowKey: String(at).padStart(6, '0'), N: at }),
  );
  return [JSON.stringify({ $table: name }), ...entities, ''].join('\n');
}

/** Starts a server, and returns its data as text. */
async function dataAt(location: string, flags: readonly string[]): Promise<string> {
  const server = await startChild({ location, flags });
  const text = await (await fetch(`${server.url}/_tabularium/export`)).text();
  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
  return text;
}

it.skipIf(process.platform === 'win32')(
  'loads again after a start with --seed that was killed, and keeps its rows in a start without --seed',
  async () => {
    const [first, second] = [join(folder, 'a.ndjson'), join(folder, 'b.ndjson')];
    await writeFile(first, tableOf('First', 600));
    const flags = ['--seed', first, '--seed', second];
    for (const isMadeAgain of [true, false]) {
      const location = join(folder, String(isMadeAgain));
      // Opening a pipe waits for its writer, so the server stops after the first file.
      execFileSync('mkfifo', [second]);
      const command = [process.execPath, serverFile, '--silent', '--tablePort', '0', '--location', location, ...flags];
      const starting = runProgram(command, { environment: cleanEnvironment() });
      const pipe = await open(second, 'w');
      starting.kill('SIGKILL');
      expect(await starting.ended).toMatchObject({ signal: 'SIGKILL' });
      await pipe.close();
      await rm(second);
      await writeFile(second, tableOf('Second', 10));
      if (isMadeAgain) expect(await dataAt(location, flags)).toBe(tableOf('First', 600) + tableOf('Second', 10));
      else expect(await dataAt(location, [])).toBe(tableOf('First', 600));
      await rm(second);
    }
  },
);
