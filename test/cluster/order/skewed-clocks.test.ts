import fc from 'fast-check';
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { etagOf } from '../../../src/entity/stored/entity.js';
import { ticksOfEtag } from '../../../src/store/postgres/schema/stamps.js';
import { isRejection } from '../../../src/store/store.js';
import { clusterDatabase, openCluster } from '../../support/postgres/open-cluster.js';
import { account, keyAt, remove, replace } from '../../support/store/store-changes.js';

/** The addresses of the database by server: each server reaches it by a host of its own, by which its clock is told. */
const hosts = ['127.0.0.1', 'localhost'] as const;

/** One write of a server, or a jump of its clock. */
type Step =
  | {
      readonly server: 0 | 1;
      readonly partition: string;
      readonly row: string;
      readonly rows: number;
      readonly removes: boolean;
    }
  | { readonly server: 0 | 1; readonly jump: number };

const server = fc.constantFrom<0 | 1>(0, 1);
const write = fc.record({
  server,
  partition: fc.constantFrom('a', 'b', 'c', 'd'),
  row: fc.constantFrom('x', 'y'),
  rows: fc.constantFrom(1, 1, 1, 90),
  removes: fc.boolean(),
});
/** Unit: seconds. */
const jump = fc.record({ server, jump: fc.integer({ min: -20, max: 20 }) });
const steps = fc.array(fc.oneof({ weight: 4, arbitrary: write }, { weight: 1, arbitrary: jump }), {
  minLength: 10,
  maxLength: 25,
});

/** Makes each server ask for a clock of its own. Others are not concerned: only this schema has it. */
function skewClocks(): void {
  const query = pg.Client.prototype.query;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    asked: unknown,
    ...rest: unknown[]
  ) {
    const skewed = (text: string) =>
      text.replaceAll('clock_timestamp()', `skewed_clock(${hosts.indexOf(this.host as 'localhost')})`);
    const given =
      typeof asked === 'string'
        ? skewed(asked)
        : { ...(asked as object), text: skewed((asked as { text: string }).text) };
    return Reflect.apply(query, this, [given, ...rest]);
  } as typeof query);
}

describe.skipIf(!clusterDatabase)('Timestamps of two servers whose clocks differ and jump', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('grow for each entity as long as it is there, and for each server, even if its clock goes back', {
    timeout: 300_000,
  }, async () => {
    const urls = hosts.map((host) => Object.assign(new URL(clusterDatabase ?? ''), { hostname: host }).href);
    const cluster = await openCluster(urls, clusterDatabase, 90);
    const session = new pg.Client({ connectionString: clusterDatabase });
    await session.connect();
    await session.query(`SET search_path = ${cluster.schema}; CREATE TABLE skews (server int PRIMARY KEY, skew interval);
      INSERT INTO skews VALUES (0, '0'), (1, '0');
      CREATE FUNCTION skewed_clock(int) RETURNS timestamptz VOLATILE LANGUAGE sql AS
        $$ SELECT pg_catalog.clock_timestamp() + (SELECT skew FROM ${cluster.schema}.skews WHERE server = $1) $$`);
    skewClocks();
    let tables = 0;
    const ofServers = [0n, 0n];
    const check = async (list: readonly Step[]) => {
      const name = `Table${tables++}`;
      await cluster.stores[0]?.createTable(account, name);
      const ofEntities = new Map<string, bigint>();
      for (const step of list) {
        if ('jump' in step) {
          await session.query('UPDATE skews SET skew = skew + make_interval(secs => $1) WHERE server = $2', [
            step.jump,
            step.server,
          ]);
          continue;
        }
        const { partition, row, rows, removes } = step;
        const keys = Array.from({ length: rows }, (_, at) => keyAt(at === 0 ? row : `${row}${at}`, partition));
        const changes = keys.map((key) =>
          removes && ofEntities.has(`${partition}/${key.rowKey}`) ? remove(key) : replace(key, rows),
        );
        const outcome = await cluster.stores[step.server]?.openTable(account, name).commit(changes);
        if (!outcome || isRejection(outcome)) throw new Error('The rows were not written.');
        const last = ofServers[step.server] ?? 0n;
        for (const [at, text] of outcome.entries()) {
          const entity = `${partition}/${keys[at]?.rowKey}`;
          if (!text) {
            ofEntities.delete(entity);
            continue;
          }
          const stamp = BigInt(ticksOfEtag(etagOf(text)) ?? 0);
          expect(stamp, `${entity}`).toBeGreaterThan(ofEntities.get(entity) ?? 0n);
          expect(stamp, `${entity} of server ${step.server}`).toBeGreaterThan(last);
          ofEntities.set(entity, stamp);
          if (stamp > (ofServers[step.server] ?? 0n)) ofServers[step.server] = stamp;
        }
      }
    };
    try {
      await fc.assert(fc.asyncProperty(steps, check), { numRuns: 20 });
    } finally {
      await session.end();
      await cluster.dispose();
    }
  });
});
