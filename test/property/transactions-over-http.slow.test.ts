import { expect, it } from 'vitest';
import type { JsonObject } from '../support/answers/answer.js';
import {
  batchTools,
  expectParts,
  insert,
  type PartRequest,
  readBatchAnswer,
  remove,
  update,
} from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';

const clients = [...Array(8).keys()];
const counters = ['a', 'm', 'z'];

/** Filters that match all counters: with one range of keys, with several, and with a check of each row. */
const filters = [
  "PartitionKey eq 'p'",
  "PartitionKey eq 'p' and (RowKey eq 'a' or RowKey eq 'm' or RowKey eq 'z')",
  "PartitionKey eq 'p' and (RowKey lt 'b' or RowKey gt 'c')",
  "PartitionKey eq 'p' and Count ge 0",
];

describeService('Concurrent transactions over HTTP', (tools) => {
  const { client, withTable } = tools;
  const { sendChangeSet } = batchTools(tools);
  const pathOf = (table: string, row: string) => `/${table}(PartitionKey='p',RowKey='${row}')`;
  const read = async (table: string, filter = filters[0]) =>
    (await client.get(`/${table}()?$filter=${encodeURIComponent(filter ?? '')}`)).rows;

  /** Returns the status of a batch: the status of its failed part, or 202. */
  async function commit(parts: readonly PartRequest[]): Promise<number> {
    const answered = readBatchAnswer(await sendChangeSet(parts)).parts;
    const failed = answered.find(({ statusLine }) => / [45]\d\d /.test(statusLine));
    expect(answered).toHaveLength(failed ? 1 : parts.length);
    return failed ? Number(failed.statusLine.split(' ')[1]) : 202;
  }

  async function withCounters(): Promise<string> {
    const table = await withTable();
    const parts = counters.map((RowKey) => insert(table, { PartitionKey: 'p', RowKey, Count: 0 }));
    expectParts(await sendChangeSet(parts), Array(counters.length).fill('201 Created'));
    return table;
  }

  /** Adds one to all counters, and retries while other clients change them first. */
  async function increment(table: string): Promise<void> {
    for (;;) {
      const parts = (await read(table)).map(({ RowKey, Count, 'odata.etag': etag }) =>
        update('MERGE', pathOf(table, String(RowKey)), { Count: Number(Count) + 1 }, `If-Match: ${etag}`),
      );
      const status = await commit(parts);
      if (status === 202) return;
      expect(status).toBe(412);
    }
  }

  /** Reads the counters until once after `done`, and expects them to be equal every time. Returns the number of distinct counts. */
  async function watch(table: string, filter: string, done: () => boolean): Promise<number> {
    const seen = new Set<number>();
    for (let isLast = false; ; isLast = done()) {
      const counts = (await read(table, filter)).map((row) => Number(row['Count']));
      expect(counts).toEqual(Array(counters.length).fill(counts[0]));
      expect(counts[0]).toBeGreaterThanOrEqual(Math.max(0, ...seen));
      seen.add(counts[0] ?? -1);
      if (isLast) return seen.size;
    }
  }

  it('do not lose increments when each update carries the tag of the entity that it read', async () => {
    const table = await withCounters();
    const each = 6;
    let working = clients.length;

    const work = clients.map(async () => {
      for (let count = 0; count < each; count++) await increment(table);
      working--;
    });
    const watching = filters.map((filter) => watch(table, filter, () => working === 0));
    await Promise.all(work);

    for (const seen of await Promise.all(watching)) expect(seen).toBeGreaterThan(1);
    expect((await read(table)).map((row) => row['Count'])).toEqual(counters.map(() => clients.length * each));
  });

  it('leave nothing in the table when they fail in the middle', async () => {
    const table = await withCounters();
    const spoil: ((count: number) => PartRequest)[] = [
      () => insert(table, { PartitionKey: 'p', RowKey: 'z' }),
      () => update('PUT', pathOf(table, 'z'), { Count: -1 }, `If-Match: W/"datetime'2020-01-01T00%3A00%3A00Z'"`),
      () => remove(pathOf(table, 'missing')),
      (count) => insert(table, { PartitionKey: 'p', RowKey: `new${count}`, A: 'x'.repeat(40_000) }),
    ];
    let failing = spoil.length;

    const fail = spoil.map(async (last) => {
      for (let count = 0; count < 15; count++) {
        const broken = [
          update('PUT', pathOf(table, 'a'), { Count: -1 }),
          remove(pathOf(table, 'm')),
          insert(table, { PartitionKey: 'p', RowKey: `other${count}`, Count: -1 }),
          last(count),
        ];
        expect(await commit(broken)).toBeGreaterThanOrEqual(400);
      }
      failing--;
    });
    const watching = filters.map((filter) => watch(table, filter, () => failing === 0));
    const work = clients.slice(0, 2).map(() => increment(table));
    await Promise.all([...fail, ...work, ...watching]);

    const rows: readonly JsonObject[] = await read(table);
    expect(rows.map((row) => [row['RowKey'], row['Count']])).toEqual(counters.map((row) => [row, 2]));
  });

  it('let exactly one client insert an entity that all try to insert', async () => {
    const table = await withCounters();

    for (let round = 0; round < 10; round++) {
      const claims = clients.map((by) =>
        commit([
          insert(table, { PartitionKey: 'p', RowKey: `mine${round}-${by}` }),
          insert(table, { PartitionKey: 'p', RowKey: `lock${round}`, By: by }),
        ]),
      );
      expect((await Promise.all(claims)).sort()).toEqual([202, ...Array(clients.length - 1).fill(409)]);
    }

    const rows = await read(table);
    const won = rows.filter((row) => 'By' in row).map((row) => `mine${String(row['RowKey']).slice(4)}-${row['By']}`);
    const marks = rows.map((row) => String(row['RowKey'])).filter((row) => row.startsWith('mine'));
    expect(marks).toEqual(won);
    expect(won).toHaveLength(10);
  });

  it('move an entity from key to key, and every read finds it exactly once', async () => {
    const table = await withTable();
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: '0' });
    let moving = 3;

    const move = [...Array(moving).keys()].map(async (by) => {
      for (let count = 0; count < 12; ) {
        const [at] = (await read(table)).map((row) => String(row['RowKey']));
        const next = String((Number(at) + 1 + by) % 10);
        const status = await commit([
          remove(pathOf(table, at ?? '')),
          insert(table, { PartitionKey: 'p', RowKey: next }),
        ]);
        if (status === 202) count++;
        else expect([404, 409]).toContain(status);
      }
      moving--;
    });
    const ends =
      "PartitionKey eq 'p' and (RowKey lt '3' or RowKey eq '3' or RowKey gt '3' and RowKey lt '7' or RowKey ge '7')";
    const split = `PartitionKey eq 'p' and (${[...Array(10).keys()].map((row) => `RowKey eq '${row}'`).join(' or ')})`;
    const watching = [filters[0], ends, split].map(async (filter) => {
      do expect(await read(table, filter)).toHaveLength(1);
      while (moving > 0);
    });
    await Promise.all([...move, ...watching]);

    expect(await read(table)).toHaveLength(1);
  });
});
