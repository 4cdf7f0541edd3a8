// Replays recorded traffic against a new server: `npm run test:long -- replay path/to/replay.mjs [options]`. With
// TABULARIUM_TEST_ENGINE=postgres it is one of two servers on TABULARIUM_TEST_DATABASE. With `--service cosmos` the traffic goes
// to its second listener.
// Every exchange of every scenario must be equal at every level, except those listed here with their reason.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

/** Scenarios that contradict others or cannot be replayed. See docs/divergences.md. */
const expectedDifferences = {
  'azure-sdk-for-python/test_table.test_create_properties':
    'reads settings within the seconds the service takes to apply them; other scenarios read the new ones at once',
  'azure-sdk-for-python/test_table.test_query_tables_with_num_results':
    "lists a foreign test's table in a continuation token only; the replay creates it, so it is listed",
  'cloudstub/keys_get_control':
    'the HTML of the web server is not XML, as which the replay reads it; the conformance tests compare its bytes',
};

const [script, ...options] = process.argv.slice(2);
if (!script) throw new Error('usage: npm run test:long -- replay path/to/replay.mjs [options]');

/** The account that the recordings name, which texts of errors repeat. Any key does. */
const account = { name: 'account', key: Buffer.alloc(64, 1).toString('base64') };

const isCosmos = options[options.indexOf('--service') + 1] === 'cosmos';

const folder = await mkdtemp(join(tmpdir(), 'tabularium-replay-'));
const database = process.env['TABULARIUM_TEST_ENGINE'] === 'postgres' && process.env['TABULARIUM_TEST_DATABASE'];
const servers = [start()];
try {
  const urls = await listening(servers[0]);
  const target = isCosmos
    ? ['--endpoint', urls.cosmos]
    : ['--endpoint', `${urls.storage}/${account.name}`, '--account', account.name, '--key', account.key];
  // A second server on the same database must not change an answer of the first one.
  if (database) await listening(servers[servers.push(start()) - 1]);
  const report = join(folder, 'report.json');
  const args = [script, ...target, '--strict', '--level', 'body', '--quiet', '--json', report, ...options];
  const replay = spawn(process.execPath, args, { stdio: 'inherit' });
  await new Promise((resolve) => replay.on('exit', resolve));
  judge(JSON.parse(await readFile(report, 'utf8')));
} finally {
  await Promise.all(servers.map(stop));
  await rm(folder, { recursive: true, force: true });
}

/** Starts a server on the folder, or on a schema of the test database that has the folder's name. */
function start() {
  const place = database ? ['--databaseSchema', basename(folder).replaceAll('-', '_')] : ['--location', folder];
  return spawn(process.execPath, ['dist/main.js', '--tablePort', '0', '--cosmosPort', '0', '--silent', ...place], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      TABULARIUM_ACCOUNTS: `${account.name}:${account.key}`,
      ...(database && { TABULARIUM_DATABASE: database }),
    },
  });
}

/** Stops a server and waits for its end: until then it writes to its folder. */
async function stop(server) {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill();
  await ended;
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

/** Returns the URLs of both listeners of a server when it is ready. */
async function listening(child) {
  const urls = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening at (\S+)/.exec(line)?.[1];
    if (url) urls.push(url);
    if (urls.length === 2) return { storage: urls[0], cosmos: urls[1] };
  }
  throw new Error('the server did not start');
}
