import { randomUUID } from 'node:crypto';
import { setTimeout as later } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { IssuedTags } from '../../support/answers/issued-tags.js';
import { randomFrom } from '../../support/arbitrary/random.js';
import { LoadWriter } from '../../support/clients/load-writer.js';
import { dropSchema } from '../../support/postgres/drop-schema.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { expectQuiet } from '../../support/postgres/quiet-database.js';
import { type ChildServer, startChild } from '../../support/programs/child-server.js';

const url = clusterDatabase ?? '';

/** Number of rounds, each with two kills. `npm run test:long -- cluster` uses more. */
const rounds = Number(process.env['TABULARIUM_CLUSTER_KILLS'] ?? 3);
const seed = 20_261_122;

/** Writes that a server acknowledges before it is killed, at most. */
const mostWrites = 200;

/** Lets writers write through a server until it is killed, and counts what was acknowledged. */
class Life {
  readonly #server: ChildServer;
  readonly #writing: Promise<unknown>;
  #acknowledged = 0;

  constructor(server: ChildServer, writers: readonly LoadWriter[]) {
    this.#server = server;
    const target = { client: server.client(), base: `${server.url}/${developmentAccount.name}` };
    this.#writing = Promise.all(writers.map((one) => one.writeUntilGone(target, () => this.#acknowledged++)));
  }

  /** Kills the server after this many more acknowledged writes. */
  async killAfter(writes: number): Promise<void> {
    const wanted = this.#acknowledged + writes;
    const reached = async () => {
      while (this.#acknowledged < wanted) await later(1);
    };
    await Promise.race([reached(), this.#writing]);
    expect(await this.#server.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    await this.#writing;
  }
}

describe.skipIf(!clusterDatabase)(
  `two servers on one database that are killed in ${rounds} rounds (seed ${seed})`,
  () => {
    it('lose no acknowledged write, keep no partial transaction and give no tag twice; one continues without the other', {
      timeout: 600_000 + rounds * 30_000,
    }, async () => {
      const database = { url, schema: `killed_${randomUUID().replaceAll('-', '')}` };
      const random = randomFrom(seed);
      const writersOf = (server: string) =>
        [0, 1, 2].map((at) => new LoadWriter(`Table${server}${at}`, new IssuedTags(), randomFrom(seed + at)));
      const writers = [writersOf('A'), writersOf('B')];
      const observer = new pg.Client({ connectionString: url, application_name: 'test' });
      await observer.connect();
      for (let round = 0; round < rounds; round++) {
        // Both at once, also the first time, when they make the schema.
        const servers = await Promise.all([startChild({ database }), startChild({ database })]);
        for (const [at, own] of writers.entries()) {
          // What one server acknowledged is read through the other one.
          const other = servers[1 - at];
          for (const writer of own) if (other) await writer.expectKept(other.client());
        }
        const lives = servers.map((server, at) => new Life(server, writers[at] ?? []));
        const first = random() < 0.5 ? 0 : 1;
        await lives[first]?.killAfter(1 + Math.floor(random() * mostWrites));
        await lives[1 - first]?.killAfter(1 + Math.floor(random() * mostWrites));
        await expectQuiet(observer);
      }
      const last = await startChild({ database });
      for (const writer of writers.flat()) await writer.expectKept(last.client());
      expect(await last.stop('SIGTERM')).toMatchObject({ code: 0, errors: '' });
      await observer.end();
      await dropSchema(database);
      const acknowledged = writers.flat().reduce((sum, writer) => sum + writer.acknowledged, 0);
      process.stdout.write(`${2 * rounds} kills, ${acknowledged} acknowledged writes, none lost\n`);
      expect(acknowledged).toBeGreaterThan(rounds);
    });
  },
);
