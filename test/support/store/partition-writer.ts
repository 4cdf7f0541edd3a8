import { expect } from 'vitest';
import type { ServiceClient } from '../clients/service-client.js';

/** The content of a partition: the value of `N` by row key. */
export type Content = ReadonlyMap<string, number>;

/** Reads a whole partition, page by page. */
export async function contentOf(client: ServiceClient, table: string, partition: string): Promise<Content> {
  const content = new Map<string, number>();
  const filter = encodeURIComponent(`PartitionKey eq '${partition}'`);
  for (let token = ''; ; ) {
    const answer = await client.get(`/${table}()?$filter=${filter}${token}`);
    expect(answer.status, answer.body).toBe(200);
    for (const row of answer.rows) content.set(String(row['RowKey']), Number(row['N']));
    const nextPartition = answer.headers['x-ms-continuation-nextpartitionkey'];
    const nextRow = answer.headers['x-ms-continuation-nextrowkey'];
    if (nextPartition === undefined) return content;
    token = `&NextPartitionKey=${nextPartition}&NextRowKey=${nextRow}`;
  }
}

interface Step {
  readonly rowKey: string;
  /** The value afterwards. Undefined if the entity was deleted. */
  readonly value: number | undefined;
}

/** Writes to its own partition, one write at a time, and records what was acknowledged. */
export class Writer {
  readonly partition: string;
  readonly #table: string;
  readonly #kept = new Map<string, number>();
  #underWay: Step | undefined;
  #turn = 0;
  acknowledged = 0;
  onAcknowledged: () => void = () => {};

  constructor(table: string, partition: string) {
    this.#table = table;
    this.partition = partition;
  }

  /** Inserts, replaces, merges and deletes in turn until the server has ended. */
  async writeUntilRejected(client: ServiceClient): Promise<void> {
    for (;;) {
      const turn = this.#turn++;
      const step = this.#stepOf(turn);
      this.#underWay = step;
      const answer = await this.#send(client, step, turn).catch(() => undefined);
      if (answer === undefined) return;
      expect(answer.status, answer.body).toBeLessThan(300);
      this.#underWay = undefined;
      if (step.value === undefined) this.#kept.delete(step.rowKey);
      else this.#kept.set(step.rowKey, step.value);
      this.acknowledged++;
      this.onAcknowledged();
    }
  }

  /** Returns an insert most of the time, sometimes a change or a delete of an existing row. */
  #stepOf(turn: number): Step {
    const old = [...this.#kept.keys()][turn % 7];
    if (old === undefined || turn % 5 < 3) return { rowKey: `r${turn}`, value: turn };
    return { rowKey: old, value: turn % 5 === 3 ? turn : undefined };
  }

  #send(client: ServiceClient, { rowKey, value }: Step, turn: number) {
    const path = `/${this.#table}(PartitionKey='${this.partition}',RowKey='${rowKey}')`;
    if (value === undefined) return client.delete(path, { ifMatch: '*' });
    if (this.#kept.has(rowKey)) return client.merge(path, { N: value }, { ifMatch: '*' });
    if (turn % 2 === 0) return client.put(path, { N: value });
    return client.post(`/${this.#table}`, { PartitionKey: this.partition, RowKey: rowKey, N: value });
  }

  /** Expects exactly the acknowledged content, with or without the pending write. Continues from there. */
  expectKept(content: Content): void {
    const found = new Map(content);
    if (this.#underWay) {
      const { rowKey, value } = this.#underWay;
      const now = found.get(rowKey);
      expect([this.#kept.get(rowKey), value]).toContain(now);
      if (now === undefined) this.#kept.delete(rowKey);
      else this.#kept.set(rowKey, now);
      this.#underWay = undefined;
    }
    expect(new Map([...found].sort())).toEqual(new Map([...this.#kept].sort()));
  }
}
