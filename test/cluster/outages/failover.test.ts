import { setTimeout as later } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { etagOf } from '../../../src/entity/stored/entity.js';
import { isRejection, type Store } from '../../../src/store/store.js';
import { clusterDatabase, openCluster } from '../../support/postgres/open-cluster.js';
import { whyNoStandby } from '../../support/postgres/postgres-cluster.mjs';
import { startReplicated } from '../../support/postgres/replicated-databases.js';
import { CuttingProxy } from '../../support/servers/cutting-proxy.js';
import { account, insert, keyAt, numberOf, readEntity, replace } from '../../support/store/store-changes.js';

/** Number of failovers. `npm run test:long -- cluster` uses more. */
const rounds = Number(process.env['TABULARIUM_FAILOVERS'] ?? 1);

/** Writes that must be acknowledged before the primary is killed, and after the standby was promoted. */
const enough = 300;

const table = 'Table';
const counters = ['x', 'y'];

/** Clients of several servers, that count, and insert rows, until they are told to stop. */
class Load {
  counted = 0;
  readonly inserted: string[] = [];
  longestMs = 0;
  readonly #tags = new Set<string>();
  readonly #clients: readonly Promise<void>[];
  #isStopped = false;

  constructor(stores: readonly Store[]) {
    this.#clients = stores.flatMap((store, at) => [
      ...counters.map((name) => this.#count(store, name)),
      this.#insert(store, at),
    ]);
  }

  get acknowledged(): number {
    return this.counted + this.inserted.length;
  }

  /** Waits until this many more writes are acknowledged. Errors: those of the clients. */
  async until(more: number): Promise<void> {
    const wanted = this.acknowledged + more;
    const reached = async () => {
      while (this.acknowledged < wanted) await later(5);
    };
    await Promise.race([reached(), ...this.#clients]);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  async #count(store: Store, name: string): Promise<void> {
    while (!this.#isStopped) {
      const text = (await readEntity(store, table, keyAt(name))) ?? '';
      const change = replace(keyAt(name), (numberOf(text) ?? 0) + 1, etagOf(text));
      const outcome = await this.#timed(() => store.openTable(account, table).commit([change]));
      if (isRejection(outcome)) continue;
      this.counted++;
      const tag = `${name} ${etagOf(outcome[0] ?? '')}`;
      expect(this.#tags.has(tag), `${tag} was given before`).toBe(false);
      this.#tags.add(tag);
    }
  }

  async #insert(store: Store, at: number): Promise<void> {
    for (let number = 0; !this.#isStopped; number++) {
      const key = `${at}-${number}`;
      const change = insert(keyAt(key, 'inserted'), number);
      const outcome = await this.#timed(() => store.openTable(account, table).commit([change]));
      // A server that sent a write twice would be told by the second that the first one exists.
      expect(isRejection(outcome), `${key} ${JSON.stringify(outcome)}`).toBe(false);
      this.inserted.push(key);
    }
  }

  async #timed<T>(work: () => T | Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await work();
    this.longestMs = Math.max(this.longestMs, performance.now() - began);
    return result;
  }
}

async function failOver(): Promise<void> {
  const databases = await startReplicated();
  const { primary, standby } = databases;
  const proxy = await CuttingProxy.start(primary.port, { request: 0, answer: 0 }, () => 1);
  const url = Object.assign(new URL(primary.url), { host: `127.0.0.1:${proxy.port}` }).href;
  const cluster = await openCluster([url, url, url]);
  const { stores } = cluster;
  await stores[0]?.createTable(account, table);
  const first = counters.map((name) => insert(keyAt(name)));
  await stores[0]?.openTable(account, table).commit(first);

  const load = new Load(stores);
  await load.until(enough);
  await databases.failOver();
  // What a cluster's address does: it leads to the new primary, and connections to the old one end.
  proxy.target = standby.port;
  proxy.cutAll();
  await load.until(enough);
  await load.stop();

  const [, store] = stores;
  if (!store) throw new Error('three stores were opened');
  const numbers = await Promise.all(
    counters.map(async (name) => numberOf(await readEntity(store, table, keyAt(name)))),
  );
  expect(numbers.reduce((sum = 0, number = 0) => sum + number, 0)).toBe(load.counted);
  for (const key of load.inserted) {
    expect(await readEntity(store, table, keyAt(key, 'inserted')), key).toBeDefined();
  }
  process.stdout.write(
    `${load.counted} counted, ${load.inserted.length} inserted, longest write ${Math.round(load.longestMs)} ms\n`,
  );
  await cluster.dispose();
  await proxy.stop();
  await databases.remove();
}

describe.skipIf(!clusterDatabase || whyNoStandby)(
  `a primary that is killed while three servers write${whyNoStandby}`,
  () => {
    it('loses no acknowledged write to its synchronous standby, and no write is made twice or wrongly rejected', {
      timeout: 600_000 + rounds * 60_000,
    }, async () => {
      for (let round = 0; round < rounds; round++) await failOver();
    });
  },
);
