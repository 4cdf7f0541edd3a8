import { Connection } from './connection.mjs';
import { batchOf, bodyOf, keyOf, shuffled } from './data.mjs';

/** Fills a table with `rows` entities in batches of 100, in random order. Returns entities per second. */
export async function load(server, rows, single) {
  const connections = Array.from({ length: 4 }, () => new Connection(server.port));
  for (const TableName of ['bench', 'benchGrowing']) {
    const { status } = await connections[0].send('POST', '/Tables', { body: JSON.stringify({ TableName }) });
    if (status !== 201) throw new Error(`creating the table answered ${status}`);
  }
  const batches = shuffled(rows / 100);
  const started = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
        const entities = Array.from({ length: 100 }, (_, i) => {
          const key = keyOf(batch * 100 + i, single);
          return { key, body: bodyOf(key, batch * 100 + i) };
        });
        const { status } = await connection.send('POST', '/$batch', batchOf('bench', entities));
        if (status !== 202) throw new Error(`loading answered ${status}`);
      }
      connection.close();
    }),
  );
  return Math.round((rows * 1000) / (performance.now() - started));
}

/** Returns a random number generator that gives the same numbers for every server. */
export function createRandom(start = 7) {
  let seed = start;
  return () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed / 2147483648;
  };
}

/**
 * Runs one workload on one server for `ms` milliseconds, and at least one operation on each connection.
 *
 * Returns operations per second, latencies in milliseconds, and the server's processor time per operation in
 * microseconds.
 */
export async function runSlot(server, workload, state, ms) {
  const connections = Array.from({ length: workload.c }, () => new Connection(server.port));
  const latencies = [];
  const cpu = await server.cpu();
  const started = performance.now();
  const deadline = started + ms;
  await Promise.all(
    connections.map(async (connection) => {
      do {
        const begun = performance.now();
        if ((await workload.run(connection, state)) === false) break;
        latencies.push(performance.now() - begun);
      } while (performance.now() < deadline);
      connection.close();
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    rate: latencies.length / seconds,
    cpu: (((await server.cpu()) - cpu) * 1000) / latencies.length,
    p50: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    max: latencies.at(-1) ?? 0,
  };
}

/** Returns the median of a list of numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
