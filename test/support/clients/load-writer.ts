import { expect } from 'vitest';
import type { Answer, JsonObject } from '../answers/answer.js';
import type { IssuedTags } from '../answers/issued-tags.js';
import { batchBoundary, type PartRequest, writeChangeSet } from '../bodies/batch-tools.js';
import type { ServiceClient } from './service-client.js';

/** Where a writer writes: a client, and the beginning of absolute URLs. */
export interface Target {
  readonly client: ServiceClient;
  readonly base: string;
}

/** The entity that its writer expects: numbers that no other write uses. */
interface Row {
  readonly N?: number;
  readonly M?: number;
}

/** A table: its rows by `PartitionKey/RowKey`. */
type Rows = ReadonlyMap<string, Row>;

/** A write: its requests, and the table afterwards. The table is undefined if the write drops it. */
interface Step {
  readonly parts: readonly PartRequest[];
  /** The keys that get a tag, in the order of the requests. */
  readonly tagged: readonly string[];
  readonly after: Rows | undefined;
}

const partitions = ['p', 'q'];
const rowsOfPartition = 8;

/**
 * Writes to its own table, one write at a time, and records what was acknowledged. Writes are inserts, replacements,
 * merges, deletes and transactions of these. Sometimes it drops the table or creates it again.
 */
export class LoadWriter {
  readonly table: string;
  readonly #tags: IssuedTags;
  readonly #random: () => number;
  /** The acknowledged rows. */
  #rows: Rows | undefined;
  /** The write that is not yet acknowledged. */
  #underWay: Step | undefined;
  #lastNumber = 0;
  acknowledged = 0;
  dropped = 0;

  constructor(table: string, tags: IssuedTags, random: () => number) {
    this.table = table;
    this.#tags = tags;
    this.#random = random;
  }

  /** Writes until the server has ended. Calls back after every acknowledged write. */
  async writeUntilGone({ client, base }: Target, onAcknowledged: () => void): Promise<void> {
    for (;;) {
      const step = this.#nextStep();
      this.#underWay = step;
      const answer = await send({ client, base }, step.parts).catch(() => undefined);
      if (answer === undefined) return;
      expect(answer.status, answer.body).toBeLessThan(300);
      this.#underWay = undefined;
      if (this.#rows && !step.after) this.dropped++;
      this.#rows = step.after;
      const tags = tagsOf(answer, step.tagged.length);
      for (const [at, key] of step.tagged.entries()) this.#tags.issue(tags[at] ?? '', this.#versionOf(key));
      this.acknowledged++;
      onAcknowledged();
    }
  }

  /** Expects the acknowledged table, with or without the pending write. Continues from there. */
  async expectKept(client: ServiceClient): Promise<void> {
    const found = await readTable(client, this.table);
    const step = this.#underWay;
    const expected = step && isSame(found, step.after) ? step.after : this.#rows;
    expect(
      plain(found),
      `table ${this.table}; in flight: ${step?.parts.map(({ method, url }) => `${method} ${url}`)}`,
    ).toEqual(plain(expected));
    this.#underWay = undefined;
    this.#rows = expected;
    for (const [key, { etag }] of found ?? []) this.#tags.see(etag, this.#versionOf(key));
  }

  #versionOf(key: string): string {
    return `${this.table}/${key} ${JSON.stringify(this.#rows?.get(key))}`;
  }

  #nextStep(): Step {
    const rows = this.#rows;
    if (!rows) return { parts: [createTable(this.table)], tagged: [], after: new Map() };
    const kind = this.#random();
    if (kind < 0.02) return { parts: [dropTable(this.table)], tagged: [], after: undefined };
    const after = new Map(rows);
    const partition = this.#oneOf(partitions);
    const all = Array.from({ length: rowsOfPartition }, (_, at) => `${partition}/r${at}`);
    const count = kind < 0.3 ? 1 + Math.floor(this.#random() * rowsOfPartition) : 1;
    const chosen = all.sort(() => this.#random() - 0.5).slice(0, count);
    const tagged: string[] = [];
    const parts = chosen.map((key) => {
      const [part, row] = this.#changeOf(key, after.get(key));
      if (row) tagged.push(key);
      if (row) after.set(key, row);
      else after.delete(key);
      return part;
    });
    return { parts, tagged, after };
  }

  #changeOf(key: string, row: Row | undefined): [PartRequest, Row | undefined] {
    const [PartitionKey = '', RowKey = ''] = key.split('/');
    const url = `/${this.table}(PartitionKey='${PartitionKey}',RowKey='${RowKey}')`;
    const number = ++this.#lastNumber;
    // Long enough that LevelDB sometimes splits a record of its log.
    const filler = 'x'.repeat(Math.floor(this.#random() * 3000));
    if (!row && this.#random() < 0.5) {
      const body = { PartitionKey, RowKey, N: number, Filler: filler };
      return [{ method: 'POST', url: `/${this.table}`, body }, { N: number }];
    }
    switch (this.#oneOf(['PUT', 'MERGE', row ? 'DELETE' : 'PUT'])) {
      case 'PUT':
        return [{ method: 'PUT', url, body: { N: number, Filler: filler } }, { N: number }];
      case 'MERGE':
        return [
          { method: 'MERGE', url, body: { M: number } },
          { ...row, M: number },
        ];
      default:
        return [{ method: 'DELETE', url, headers: ['If-Match: *'] }, undefined];
    }
  }

  #oneOf<T>(values: readonly [T, ...T[]] | readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)] as T;
  }
}

const createTable = (name: string): PartRequest => ({ method: 'POST', url: '/Tables', body: { TableName: name } });
const dropTable = (name: string): PartRequest => ({ method: 'DELETE', url: `/Tables('${name}')` });

/** Sends one request alone, or several as a transaction. */
function send({ client, base }: Target, parts: readonly PartRequest[]): Promise<Answer> {
  const [first] = parts;
  if (first && parts.length === 1) {
    const ifMatch = first.headers?.[0]?.slice('If-Match: '.length);
    return client.send(first.method, first.url, { body: first.body, ...(ifMatch !== undefined && { ifMatch }) });
  }
  const absolute = parts.map((part) => ({ ...part, url: `${base}${part.url}` }));
  return client.post('/$batch', writeChangeSet(absolute), {
    headers: { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` },
  });
}

/** Returns the tags of an answer, in order. Every operation of a transaction must have succeeded. */
function tagsOf(answer: Answer, count: number): readonly string[] {
  const inParts = [...answer.body.matchAll(/^ETag: (.*?)\r?$/gim)].map(([, etag = '']) => etag);
  const tags = answer.status === 202 ? inParts : [answer.headers['etag'] ?? ''];
  if (answer.status === 202) expect(answer.body).not.toMatch(/^HTTP\/1\.1 [45]/m);
  expect(tags.slice(0, count).filter((tag) => tag !== '')).toHaveLength(count);
  return tags;
}

/** Reads all rows of a table with their tags. Returns undefined if the table is missing. */
async function readTable(
  client: ServiceClient,
  table: string,
): Promise<Map<string, Row & { etag: string }> | undefined> {
  const answer = await client.get(`/${table}()`);
  if (answer.status === 404) return undefined;
  expect(answer.status, answer.body).toBe(200);
  expect(answer.headers['x-ms-continuation-nextpartitionkey']).toBeUndefined();
  return new Map(
    answer.rows.map((row) => [
      `${row['PartitionKey']}/${row['RowKey']}`,
      { ...numbersOf(row), etag: String(row['odata.etag']) },
    ]),
  );
}

function numbersOf({ N, M }: JsonObject): Row {
  return { ...(typeof N === 'number' && { N }), ...(typeof M === 'number' && { M }) };
}

/** Returns rows without their tags, in key order. */
function plain(rows: Rows | undefined): readonly (readonly [string, Row])[] | undefined {
  return (
    rows && [...rows].map(([key, { N, M }]) => [key, numbersOf({ N, M })] as const).sort(([a], [b]) => (a < b ? -1 : 1))
  );
}

function isSame(found: Rows | undefined, expected: Rows | undefined): boolean {
  return JSON.stringify(plain(found)) === JSON.stringify(plain(expected));
}
