import { Connection } from './connection.mjs';
import { batchOf, bodyOf, keyOf, shuffled } from './data.mjs';

/** Fills a table with `rows` entities in batches of 100, in random order. Returns entities per second. */
export async function load(server, rows, single) {
  const connections = Array.from({ length: 4 }, () => new Connection(server.port));
  const created = await connections[0].send('POST', '/Tables', { body: JSON.stringify({ TableName: 'bench' }) });
  if (created.status !== 201) throw new Error(`creating the table answered ${created.status}`);
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

/** Returns what one server's run of all workloads starts with. The random numbers are the same for every server. */
export function createState(rows, single) {
  return { rows, single, next: 0, inserted: [], random: createRandom() };
}

/**
 * Runs one workload on one server for about `ms` milliseconds, and at least one operation on each connection.
 *
 * A workload has one part, or two that undo each other. Two parts run in turns of `turn` operations, so that the table
 * keeps its size. Returns for each part: operations per second, latencies in milliseconds, and the server's processor
 * time per operation in microseconds.
 */
export async function runSlot(server, workload, state, ms) {
  const connections = Array.from({ length: workload.c }, () => new Connection(server.port));
  const parts = workload.parts.map((part) => ({ run: part.run, latencies: [], cpu: 0, ms: 0 }));
  const deadline = performance.now() + ms;
  do {
    for (const part of parts) await runTurn(server, connections, part, state, { deadline, most: workload.turn });
  } while (performance.now() < deadline);
  for (const connection of connections) connection.close();
  return parts.map(readFigures);
}

/** Runs one part until the deadline, or for `most` operations if that is given. */
async function runTurn(server, connections, part, state, { deadline, most }) {
  let left = most ?? Number.POSITIVE_INFINITY;
  const cpu = await server.cpu();
  const started = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      do {
        if (left-- <= 0) break;
        const begun = performance.now();
        await part.run(connection, state);
        part.latencies.push(performance.now() - begun);
      } while (most !== undefined || performance.now() < deadline);
    }),
  );
  part.ms += performance.now() - started;
  part.cpu += (await server.cpu()) - cpu;
}

function readFigures({ latencies, cpu, ms }) {
  latencies.sort((a, b) => a - b);
  return {
    latencies,
    rate: (latencies.length * 1000) / ms,
    cpu: cpu / latencies.length,
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
