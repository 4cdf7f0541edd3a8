import { Connection } from './measure/connection.mjs';
import { batchOf, bodyOf } from './measure/data.mjs';
import { median } from './measure/measure.mjs';
import { Server } from './measure/servers.mjs';

/** Number of entities in each table. */
const tableRows = 20;

/**
 * Creates a table, fills it and deletes it, `rounds` times. Returns the time of a round at the beginning, in the middle
 * and at the end, the longest round, and the size of the data on disk at these times. A server that does not clean up
 * gets slower and larger.
 */
export async function measureDrops(kind, rounds) {
  const server = await Server.create('drops', kind);
  await server.start();
  const connection = new Connection(server.port);
  const key = (i) => ({ pk: 'p', rk: `r${i}` });
  const entities = Array.from({ length: tableRows }, (_, i) => ({ key: key(i), body: bodyOf(key(i), i) }));
  const send = async (status, ...request) => {
    const answer = await connection.send(...request);
    if (answer.status !== status) throw new Error(`answered ${answer.status} instead of ${status}`);
  };
  const times = [];
  const sizes = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    await send(201, 'POST', '/Tables', { body: '{"TableName":"dropped"}', headers: 'Prefer: return-content\r\n' });
    await send(202, 'POST', '/$batch', batchOf('dropped', entities));
    await send(204, 'DELETE', "/Tables('dropped')");
    times.push(performance.now() - started);
    if ((round + 1) % Math.ceil(rounds / 10) === 0) sizes.push(await server.disk());
  }
  connection.close();
  await server.stop();
  await server.remove();
  const tenth = Math.ceil(rounds / 10);
  const parts = [0, 4, 9].map((part) => ({
    ms: median(times.slice(part * tenth, (part + 1) * tenth)),
    disk: sizes[part],
  }));
  return { rounds, parts, worst: Math.max(...times) };
}

/** Returns the section of the page about tables that are dropped and created again. */
export function writeDrops({ rounds, parts, worst }) {
  const [first, fifth, last] = parts.map(({ ms, disk }) => `${ms.toFixed(2)} ms and ${disk} MiB`);
  return [
    '## Dropping and creating',
    '',
    `A table is created, filled with ${tableRows} entities in a transaction and deleted, ${rounds.toLocaleString('en')} times, always with the same name.`,
    `A round and the data on disk take ${first} in the first tenth, ${fifth} in the fifth, ${last} in the`,
    `last. The longest round took ${worst.toFixed(0)} ms.`,
    '',
  ];
}
