import { expect, it } from 'vitest';
import { randomFrom } from '../../support/arbitrary/random.js';
import type { ChildServer } from '../../support/programs/child-server.js';
import { askControl, killSoon, makeKilledPlace } from '../../support/store/killed-place.js';

/** Number of kills. A thorough run uses more. */
const rounds = Number(process.env['TABULARIUM_KILL_ROUNDS'] ?? 3);
const seed = Number(process.env['TABULARIUM_KILL_SEED'] ?? 20_261_122);

const place = makeKilledPlace();

/** Returns the numbers of a table by row key. */
async function numbersOf(server: ChildServer, table: string): Promise<Readonly<Record<string, number>>> {
  const { status, body } = await server.client().get(`/${table}`);
  if (status !== 200) throw new Error(`${status} ${body}`);
  const rows = (JSON.parse(body) as { value: { RowKey: string; N: number }[] }).value;
  return Object.fromEntries(rows.map(({ RowKey, N }) => [RowKey, N]));
}

/** Returns the numbers of the three rows, in the order in which they are written. */
async function stateOf(server: ChildServer): Promise<readonly number[]> {
  const [first, second] = [await numbersOf(server, 'First'), await numbersOf(server, 'Second')];
  return [first['a'] ?? 0, first['b'] ?? 0, second['c'] ?? 0];
}

it(`A server that is killed ${rounds} times while it takes and restores snapshots keeps them whole`, {
  timeout: 600_000 + rounds * 10_000,
}, async () => {
  const random = randomFrom(seed);
  const snapshots = new Map<string, number>();
  let number = 0;
  for (let round = 0; round < rounds; round++) {
    const server = await place.start();
    const client = server.client();
    if (round === 0) for (const TableName of ['First', 'Second']) await client.post('/Tables', { TableName });
    else {
      const live = await stateOf(server);
      expect(live).toEqual([...live].sort((a, b) => b - a));
      for (const [name, at] of snapshots) {
        expect(await askControl(server, 'POST', `/snapshots/${name}/restore`)).toMatchObject({ tables: 2 });
        expect(await stateOf(server)).toEqual([at, at, at]);
      }
    }
    let isKilled = false;
    let asked = '';
    const lastBeforeKill = number + 5 + Math.floor(random() * 60);
    let reached = () => {};
    const isTimeToKill = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const working = (async () => {
      while (!isKilled) {
        if (++number > lastBeforeKill) reached();
        const pair = { PartitionKey: 'p', N: number };
        await client.put(`/First(PartitionKey='p',RowKey='a')`, { ...pair, RowKey: 'a' }).catch(() => {});
        await client.put(`/First(PartitionKey='p',RowKey='b')`, { ...pair, RowKey: 'b' }).catch(() => {});
        await client.put(`/Second(PartitionKey='p',RowKey='c')`, { ...pair, RowKey: 'c' }).catch(() => {});
        const name = `s${Math.floor(random() * 4)}`;
        asked = name;
        const taken = await askControl(server, 'PUT', `/snapshots/${name}`);
        if (taken !== undefined) snapshots.set(name, number);
        if (random() < 0.3) await askControl(server, 'POST', `/snapshots/${name}/restore`);
      }
    })();
    await isTimeToKill;
    await killSoon(server, random);
    isKilled = true;
    await working;
    // Whether the last take was made is not known.
    snapshots.delete(asked);
  }
  expect(snapshots.size).toBeGreaterThan(0);
});
