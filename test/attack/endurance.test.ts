import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { randomFrom } from '../support/arbitrary/random.js';
import { fillRows } from '../support/bodies/fill-rows.js';
import { workWithTable } from '../support/clients/ordinary-traffic.js';
import { chooseAttack, type Target } from '../support/hostile/hostile-traffic.js';
import { type PauseSample, startWatched, type WatchedServer } from '../support/measures/watched-server.js';
import { makeFolder } from '../support/programs/make-folder.js';

/** How long the server is attacked; `npm run test:long -- attack` says an hour. Unit: minutes. */
const minutes = Number(process.env['TABULARIUM_ATTACK_MINUTES'] ?? 0.05);

/** Pauses and memory are compared with their limits only in a long run. A short one shows that the attack itself works. */
const isLong = minutes >= 5;

/**
 * Longest turn of the event loop of the server. Unit: milliseconds of processor time of its main thread, which does not grow
 * when other processes use the machine.
 */
const pauseMsMax = 200;

/** Allowed growth of the memory in use after garbage collection, from a tenth of the run to its end. Unit: MiB. */
const growthMiB = 48;

/** How many hostile requests are in flight at a time. */
const attackers = 3;

const seed = Number(process.env['TABULARIUM_ATTACK_SEED'] ?? Date.now() % 1e6);

/** An action, to name those in progress during a pause. Unit: milliseconds since 1970. */
interface Deed {
  readonly name: string;
  readonly from: number;
  to: number;
}

it('serves an application while it is attacked, without a pause, and gives its memory back', {
  timeout: (minutes + 10) * 60_000,
}, async () => {
  const folder = await makeFolder();
  const server = await startWatched(folder);
  const attack = new LongAttack(server);
  await attack.run();
  const end = await server.stop('SIGTERM');
  attack.print();
  expect(end).toMatchObject({ code: 0, errors: '' });
  expect(attack.faults).toEqual([]);
  expect(attack.statuses.size).toBeGreaterThan(0);
  if (isLong) {
    expect(attack.pauses(pauseMsMax)).toEqual([]);
    expect(attack.grownMiB, 'MiB of memory in use after the attack').toBeLessThanOrEqual(growthMiB);
  }
  await rm(folder, { recursive: true, force: true });
});

/** One attack on one server, with what it found. */
class LongAttack {
  /** Numbers of answers by status; 0 stands for a closed connection. */
  readonly statuses = new Map<number, number>();
  /** Answers that no request may get, and failures of the application. */
  readonly faults: string[] = [];
  /** By how much the memory in use grew. Unit: MiB. */
  grownMiB = 0;
  readonly #server: WatchedServer;
  readonly #deeds: Deed[] = [];
  readonly #pauses: string[] = [];
  readonly #collected: PauseSample[] = [];
  #worst = { wallMs: 0, processorMs: 0 };
  #rounds = 0;
  #read = 0;
  #endsAt = 0;

  constructor(server: WatchedServer) {
    this.#server = server;
  }

  async run(): Promise<void> {
    const { url } = this.#server;
    const base = `${url}/${developmentAccount.name}`;
    const close = async () => {};
    const service = { url, base, account: developmentAccount, takeLoggedErrors: () => [], close };
    const client = this.#server.client();
    await fillRows(client, base);
    await client.put('/_tabularium/snapshots/base', {}, { prefix: '' });
    const lasts = minutes * 60_000;
    this.#endsAt = Date.now() + lasts;
    let hasEnded = false;
    void this.#server.end.then(() => {
      hasEnded = true;
    });
    const isOver = () => hasEnded || Date.now() >= this.#endsAt;
    const random = randomFrom(seed);
    const attacking = Array.from({ length: attackers }, () => this.#attack({ service, client }, random, isOver));
    await Promise.all([...attacking, this.#work(service, isOver), this.#watch(lasts, isOver)]);
    if (hasEnded) this.faults.push(`the server ended: ${JSON.stringify(await this.#server.end)}`);
    else await this.#settle();
  }

  /** Returns the pauses above this limit, with the actions in progress. Unit: milliseconds of processor time. */
  pauses(limit: number): readonly string[] {
    return this.#worst.processorMs <= limit ? [] : this.#pauses;
  }

  print(): void {
    const answers = [...this.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    const memory = this.#collected.map(({ rss, heapUsed, external }) =>
      [rss, heapUsed, external].map(mebibytes).join('/'),
    );
    const { wallMs, processorMs } = this.#worst;
    console.log(
      [
        `${minutes} minutes, seed ${seed}, ${this.#rounds} rounds of the application; answers: ${answers.join(', ')}`,
        `longest turn: ${Math.round(processorMs)} ms of processor time, ${Math.round(wallMs)} ms by the clock`,
        `resident/heap/external memory after garbage collections, MiB: ${memory.join(' ')}`,
        ...this.#pauses,
      ].join('\n'),
    );
  }

  async #attack(target: Target, random: () => number, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const { name, run } = chooseAttack(target, random, Math.floor(random() * 2 ** 31));
      const deed: Deed = { name: name.slice(0, 300), from: Date.now(), to: Number.POSITIVE_INFINITY };
      this.#deeds.push(deed);
      try {
        for (const status of await run()) this.#count(status, deed.name);
      } catch (error) {
        // A server may close the connection of a request that it rejects.
        if (!(error instanceof Error && 'code' in error)) throw error;
        this.#count(0, deed.name);
      }
      deed.to = Date.now();
    }
  }

  #count(status: number, name: string): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    // 501 says that a request asks for what this service does not have.
    if (status >= 500 && status !== 501) this.faults.push(`${status} for ${name}`);
  }

  async #work(service: Target['service'], isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      try {
        await workWithTable(service, `Work${this.#rounds++}`);
      } catch (error) {
        this.faults.push(`the application failed: ${error}`);
        if (this.faults.length > 100) return;
      }
    }
  }

  /** Notes pauses with the actions in progress, and collects the garbage ten times. */
  async #watch(lasts: number, isOver: () => boolean): Promise<void> {
    let collectsAt = Date.now() + lasts / 10;
    while (!isOver()) {
      await sleep(1000);
      this.#note();
      if (Date.now() < collectsAt) continue;
      collectsAt += lasts / 10;
      this.#collected.push(await this.#server.collect());
    }
  }

  #note(): void {
    const samples = this.#server.samples();
    for (const { at, wallMs, processorMs } of samples.slice(this.#read)) {
      if (processorMs > this.#worst.processorMs) this.#worst = { processorMs, wallMs };
      if (processorMs <= pauseMsMax / 2) continue;
      const during = this.#deeds.filter(({ from, to }) => from <= at && to >= at - 1000 - wallMs);
      const names = during.map(({ name }) => `\n    ${name}`).join('');
      this.#pauses.push(
        `  ${new Date(at).toISOString()}: ${Math.round(processorMs)} ms (${Math.round(wallMs)} ms) during${names}`,
      );
    }
    this.#read = samples.length;
    while (this.#deeds.length > 5000) this.#deeds.shift();
  }

  /** Waits until the memory is back, for a minute at most. */
  async #settle(): Promise<void> {
    const [first] = this.#collected;
    for (let second = 0; second < 60; second++) {
      const now = await this.#server.collect();
      this.grownMiB = first ? mebibytes(now.heapUsed + now.external - first.heapUsed - first.external) : 0;
      this.#collected[10] = now;
      if (!isLong || this.grownMiB <= growthMiB / 4) return;
      await sleep(1000);
    }
  }
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
