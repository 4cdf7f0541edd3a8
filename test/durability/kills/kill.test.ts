import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Level } from 'level';
import { describe, expect, it } from 'vitest';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { dataFolder } from '../../../src/store/level/open-folder.js';
import { IssuedTags } from '../../support/answers/issued-tags.js';
import { randomFrom } from '../../support/arbitrary/random.js';
import { BulkTable } from '../../support/bodies/bulk-table.js';
import { LoadWriter } from '../../support/clients/load-writer.js';
import {
  type ChildOptions,
  type ChildServer,
  countStart,
  eachInFolder,
  killWhileStarting,
  startChild,
} from '../../support/programs/child-server.js';
import { openAt } from '../../support/programs/data-folder.js';
import { openingPoint } from '../../support/programs/stop-points.js';

/** Number of kills. A thorough run uses more. */
const rounds = Number(process.env['TABULARIUM_KILL_ROUNDS'] ?? 5);

/** The seed of the random numbers. A run with the same seed is similar, but the timing of processes differs. */
const seed = Number(process.env['TABULARIUM_KILL_SEED'] ?? 20_261_122);

let location: string;
eachInFolder((folder) => {
  location = folder;
});

/** Lets writers write until `enough` writes are acknowledged, waits `moreTurns` turns of the event loop, then kills the server. */
async function writeUntilKilled(
  server: ChildServer,
  {
    writers,
    bulk,
    enough,
    moreTurns,
  }: { writers: readonly LoadWriter[]; bulk: BulkTable; enough: number; moreTurns: number },
) {
  const target = { client: server.client(), base: `${server.url}/${developmentAccount.name}` };
  let left = enough;
  let reached = () => {};
  const enoughWritten = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const writing = writers.map((writer) =>
    writer.writeUntilGone(target, () => {
      if (--left <= 0) reached();
    }),
  );
  const bulkWriting = bulk.fillAndDrop(target);
  await Promise.race([enoughWritten, Promise.all(writing)]);
  // The kill hits the server at a random moment.
  for (let turn = 0; turn < moreTurns; turn++) await nextTurn();
  expect(await server.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
  await Promise.all([...writing, bulkWriting]);
}

/** Returns the ids of existing tables, of tables with rows, and of dropped tables whose rows are not removed yet. */
async function tableIdsOnDisk() {
  const level = new Level<string, string>(join(location, dataFolder));
  const partAt = (key: string, at: number) => key.split('\u0000')[at] ?? '';
  const keysOf = (kind: string) => level.keys({ gte: `${kind}\u0000`, lt: `${kind}\u0001` }).all();
  const records = await level.iterator({ gte: 'table\u0000', lt: 'table\u0001' }).all();
  const ids = {
    tables: records.map(([, record]) => (JSON.parse(record) as { id: string }).id),
    withRows: [...new Set((await keysOf('entity')).map((key) => partAt(key, 2)))],
    dropped: (await keysOf('dropped')).map((key) => partAt(key, 2)),
  };
  await level.close();
  return ids;
}

describe.each([
  { durability: 'os', rounds, writers: 8 },
  { durability: 'fsync', rounds: rounds > 5 ? rounds : 2, writers: 8 },
])(`A server with --durability $durability that is killed $rounds times under load (seed ${seed})`, (run) => {
  const options = (): ChildOptions => ({ location, flags: ['--durability', run.durability] });

  it('B29 keeps every acknowledged write, keeps no partial transaction, reuses no ETag, and removes dropped rows', {
    timeout: 600_000 + run.rounds * 30_000,
  }, async () => {
    const random = randomFrom(seed);
    const tags = new IssuedTags();
    const writers = Array.from(
      { length: run.writers },
      (_, at) => new LoadWriter(`Table${at}`, tags, randomFrom(seed + at)),
    );
    const counts = await countStart(options());
    let bulk: BulkTable | undefined;
    for (let round = 0; round < run.rounds; round++) {
      if (random() < 0.2) await killWhileStarting(options(), openingPoint(counts, random()));
      const server = await startChild(options());
      const client = server.client();
      for (const writer of writers) await writer.expectKept(client);
      if (bulk) await bulk.expectKept(client);
      bulk = new BulkTable(`Bulk${round}`);
      await writeUntilKilled(server, {
        ...{ writers, bulk },
        enough: 1 + Math.floor(random() ** 2 * 600),
        moreTurns: Math.floor(random() * 20),
      });
    }

    const server = await startChild(options());
    for (const writer of writers) await writer.expectKept(server.client());
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, errors: '' });
    const store = await openAt(location);
    await store.swept();
    await store.close();
    const { tables, withRows, dropped } = await tableIdsOnDisk();
    expect(dropped).toEqual([]);
    expect(withRows.filter((id) => !tables.includes(id))).toEqual([]);
    const sum = (of: (writer: LoadWriter) => number) => writers.reduce((total, writer) => total + of(writer), 0);
    expect(sum(({ acknowledged }) => acknowledged)).toBeGreaterThan(run.rounds);
    if (process.env['TABULARIUM_KILL_ROUNDS'] !== undefined) {
      process.stdout.write(
        `${run.durability}: ${run.rounds} kills, ${sum((writer) => writer.acknowledged)} acknowledged writes, ` +
          `none lost, ${sum((writer) => writer.dropped)} tables dropped, ${tags.count} tags, none twice\n`,
      );
    }
  });
});
