import { AzureNamedKeyCredential, TableClient } from '@azure/data-tables';
import { median } from './measure.mjs';
import { Server } from './servers.mjs';

const account = 'devstoreaccount1';
const credential = new AzureNamedKeyCredential(
  account,
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
);

/** Number of tests in the suite. */
const tests = 40;

/** Number of requests in one test. */
const requests = 32;

/**
 * Runs a suite of tests as a project has it: forty tests one after the other through `@azure/data-tables`, each with a
 * table of its own. The servers take turns. Returns for each server the medians of one run of the suite: its time and
 * the server's processor time. Unit: milliseconds.
 */
export async function measureSuite(kinds, rounds) {
  const servers = [];
  for (const [name, kind] of Object.entries(kinds)) {
    if (kind.byKeyOnly) continue;
    const server = await Server.create(name, kind);
    await server.start();
    servers.push({ name, server, runs: [] });
  }
  // The first round warms client and servers up.
  for (let round = 0; round <= rounds; round++) {
    for (let at = 0; at < servers.length; at++) {
      const { server, runs } = servers[(at + round) % servers.length];
      const cpu = await server.cpu();
      const started = performance.now();
      for (let test = 0; test < tests; test++) await runTest(server.port, `suite${round}x${test}`);
      const ms = performance.now() - started;
      if (round > 0) runs.push({ ms, cpu: ((await server.cpu()) - cpu) / 1000 });
    }
  }
  for (const { server } of servers) {
    await server.stop();
    await server.remove();
  }
  return servers.map(({ name, runs }) => ({
    name,
    ms: median(runs.map(({ ms }) => ms)),
    cpu: median(runs.map(({ cpu }) => cpu)),
  }));
}

/** Returns the section of the page about the suite. */
export function writeSuite(figures) {
  return [
    '## A suite of tests',
    '',
    `${tests} sequential tests through \`@azure/data-tables\` with one client, ${(tests * requests).toLocaleString('en')} requests: each creates a table, makes ten inserts, five`,
    'reads, two merges, a transaction of five inserts, two queries and ten deletes, and deletes the table. Most of the time is spent',
    'in the client and on round trips.',
    ...figures.map(
      ({ name, ms, cpu }) =>
        `With ${name} it takes ${ms.toFixed(0)} ms, of which the server computes for ${cpu.toFixed(0)} ms.`,
    ),
    '',
  ];
}

async function runTest(port, table) {
  const client = new TableClient(`http://127.0.0.1:${port}/${account}`, table, credential, {
    allowInsecureConnection: true,
  });
  const entity = (rowKey, count) => ({ partitionKey: 'p', rowKey, name: `name ${rowKey}`, count, active: true });
  const rowKeys = Array.from({ length: 10 }, (_, i) => `r${i}`);
  await client.createTable();
  for (const [at, rowKey] of rowKeys.entries()) await client.createEntity(entity(rowKey, at));
  for (const rowKey of rowKeys.slice(0, 5)) expectEqual((await client.getEntity('p', rowKey)).name, `name ${rowKey}`);
  for (const rowKey of rowKeys.slice(0, 2))
    await client.updateEntity({ partitionKey: 'p', rowKey, count: 100 }, 'Merge');
  await client.submitTransaction(rowKeys.slice(0, 5).map((rowKey) => ['create', entity(`t${rowKey}`, 200)]));
  expectEqual(await countRows(client, "PartitionKey eq 'p'"), 15);
  expectEqual(await countRows(client, 'count ge 200'), 5);
  for (const rowKey of rowKeys) await client.deleteEntity('p', rowKey);
  await client.deleteTable();
}

async function countRows(client, filter) {
  let count = 0;
  for await (const _ of client.listEntities({ queryOptions: { filter } })) count++;
  return count;
}

function expectEqual(found, wanted) {
  if (found !== wanted) throw new Error(`found ${found} instead of ${wanted}`);
}
