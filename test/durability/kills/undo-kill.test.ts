import { expect, it } from 'vitest';
import type { UndoReport, UndoSummary } from '../../../src/state/contract.js';
import { randomFrom } from '../../support/arbitrary/random.js';
import type { ChildServer } from '../../support/programs/child-server.js';
import { askControl, killSoon, makeKilledPlace } from '../../support/store/killed-place.js';

/** Number of kills. A thorough run uses more. */
const rounds = Number(process.env['TABULARIUM_KILL_ROUNDS'] ?? 3);
const seed = Number(process.env['TABULARIUM_KILL_SEED'] ?? 20_261_122);

/** Rows of the first table: more than a deletion or an undo writes at once. */
const rows = 1000;

const place = makeKilledPlace();

/** The ETags of entities, by table and row key. */
type Tags = ReadonlyMap<string, string>;

async function tagsOf(server: ChildServer): Promise<Tags> {
  const tags = new Map<string, string>();
  for (const table of ['First', 'Second']) {
    const { status, body } = await server.client().get(`/${table}`);
    if (status === 404) continue;
    const { value } = JSON.parse(body) as { value: Record<'RowKey' | 'odata.etag', string>[] };
    for (const row of value) tags.set(`${table}/${row.RowKey}`, row['odata.etag']);
  }
  return tags;
}

/** Makes both tables again, and a snapshot that differs from them in some rows. Returns what is there, and what the snapshot has. */
async function fill(server: ChildServer): Promise<{ readonly live: Tags; readonly base: Tags }> {
  const client = server.client();
  for (const table of ['First', 'Second']) await client.delete(`/Tables('${table}')`, { headers: { 'If-Match': '*' } });
  const lines = ['First', 'Second'].flatMap((table) => [
    { $table: table },
    ...Array.from({ length: rows }, (_, at) => ({ PartitionKey: 'p', RowKey: String(at).padStart(4, '0'), N: at })),
  ]);
  const imported = await fetch(`${server.url}/_tabularium/import`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  });
  expect(await imported.text()).toContain('"done":true');
  await askControl(server, 'PUT', '/snapshots/base');
  const base = await tagsOf(server);
  for (let at = 0; at < rows; at += 100) {
    const entity = { PartitionKey: 'p', RowKey: String(at).padStart(4, '0'), N: -1 };
    await client.put(`/First(PartitionKey='p',RowKey='${entity.RowKey}')`, entity);
  }
  return { live: await tagsOf(server), base };
}

/** The calls that are undone. */
const calls = [
  { path: '/reset' },
  { path: '/reset', body: { table: 'First' } },
  { path: '/reset', body: { account: 'devstoreaccount1', table: 'First', partition: 'p' } },
  { path: '/entities/delete', body: { table: 'First', filter: 'N ge 200' } },
  { path: '/snapshots/base/restore' },
  { path: '/reset', body: { to: 'base' } },
] as const;

it(`A server that is killed ${rounds} times during calls that remove and their undos loses nothing that is kept`, {
  timeout: 600_000 + rounds * 20_000,
}, async () => {
  const random = randomFrom(seed);
  let [live, base]: [Tags, Tags] = [new Map(), new Map()];
  for (let round = 0; round <= rounds; round++) {
    const server = await place.start();
    const found = await tagsOf(server);
    // Each row is as it was before the call, or as it was afterwards.
    for (const [row, tag] of found) expect([live.get(row), base.get(row)], row).toContain(tag);
    const { undo: kept } = (await askControl(server, 'GET', '/undo')) as { undo: UndoSummary[] };
    for (const { id, what } of kept.toReversed()) {
      if (what.startsWith('undo ')) continue;
      expect(await askControl(server, 'POST', '/undo', { id }), id).toMatchObject({ id });
    }
    // A call that was cut off before its answer may not be kept.
    const restored = await tagsOf(server);
    if (kept.length > 0) expect(restored).toEqual(live);
    if (restored.size < 2 * rows || [...restored].some(([row, tag]) => live.get(row) !== tag)) {
      ({ live, base } = await fill(server));
    }
    if (round === rounds) break;

    let isKilled = false;
    let done = 0;
    const last = 1 + Math.floor(random() * 6);
    let reached = () => {};
    const isTimeToKill = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const working = (async () => {
      while (!isKilled) {
        if (done++ >= last) reached();
        const call = calls[Math.floor(random() * calls.length)] ?? calls[0];
        const removed = (await askControl(server, 'POST', call.path, 'body' in call ? call.body : {})) as
          | { readonly undo: string }
          | undefined;
        const undone =
          removed && ((await askControl(server, 'POST', '/undo', { id: removed.undo })) as UndoReport | undefined);
        if (undone) expect(undone.tables).toBeGreaterThan(0);
      }
    })();
    await isTimeToKill;
    await killSoon(server, random);
    isKilled = true;
    await working;
  }
});
