// Replays recorded traffic against a new server: `npm run test:replay -- path/to/replay.mjs [options]`.
// Every exchange of every scenario must be equal at every level, except those listed here with their reason.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Scenarios that contradict others or cannot be replayed. See docs/divergences.md. */
const expectedDifferences = {
  'azure-sdk-for-python/test_table.test_create_properties':
    'reads settings within the seconds the service takes to apply them; other scenarios read the new ones at once',
  'azure-sdk-for-python/test_table.test_query_tables_with_num_results':
    "lists a foreign test's table in a continuation token only; the replay creates it, so it is listed",
};

const [script, ...options] = process.argv.slice(2);
if (!script) throw new Error('usage: npm run test:replay -- path/to/replay.mjs [options]');

const folder = await mkdtemp(join(tmpdir(), 'tabularium-replay-'));
const server = spawn(process.execPath, ['dist/main.js', '--tablePort', '0', '--silent', '--location', folder], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const endpoint = `${await listening(server)}/devstoreaccount1`;
  const report = join(folder, 'report.json');
  const args = [script, '--endpoint', endpoint, '--strict', '--level', 'body', '--quiet', '--json', report, ...options];
  const replay = spawn(process.execPath, args, { stdio: 'inherit' });
  await new Promise((resolve) => replay.on('exit', resolve));
  judge(JSON.parse(await readFile(report, 'utf8')));
} finally {
  server.kill();
  await rm(folder, { recursive: true, force: true });
}

function judge(results) {
  const played = results.filter(({ unreplayable }) => !unreplayable);
  const differs = ({ exchanges }) => exchanges.some(({ failed }) => failed?.length > 0);
  const unexpected = played.filter((result) => differs(result) && !(result.source in expectedDifferences));
  const healed = played.filter((result) => !differs(result) && result.source in expectedDifferences);
  for (const { source } of unexpected) console.log(`differs: ${source}`);
  for (const { source } of healed) console.log(`no longer differs, remove it from the list: ${source}`);
  const equal = played.filter((result) => !differs(result)).length;
  console.log(
    `${equal} of ${played.length} scenarios equal at every level, ${played.length - equal} differ, ${unexpected.length} of them without a listed reason`,
  );
  if (played.length === 0 || unexpected.length > 0 || healed.length > 0) process.exitCode = 1;
}

async function listening(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening at (\S+)/.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error('the server did not start');
}
