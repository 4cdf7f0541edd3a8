import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultConfig, defaultCosmos } from '../../../src/config.js';
import { cosmosEmulatorAccount, developmentAccount } from '../../../src/protocol/access/accounts.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import type { UndoSummary } from '../../../src/state/contract.js';
import { migrations } from '../../../src/store/postgres/schema/migrations.js';
import { askVerb } from '../../support/clients/ask-verb.js';
import { ServiceClient } from '../../support/clients/service-client.js';
import { dropSchema } from '../../support/postgres/drop-schema.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';

/** What a server of format 5 has left when it was killed. */
const old = new URL('./schemas/format-5.sql', import.meta.url);

/** Later than any run of the tests: what was kept for ten minutes is still kept. */
const later = '2999-01-01T00:00:00.000Z';

const people = ['People/p/2', 'People/p/3'];
const allPeople = ['People/p/0', 'People/p/1', ...people];
const places = ['Places/a/', 'Places/a/x'];
const since = 'Since/new/1';
const asXml = { headers: { Accept: 'application/xml' } };

describe.skipIf(!clusterDatabase)('a schema of format 5', () => {
  const database = { url: clusterDatabase ?? '', schema: '', connections: 10 };
  const errors: string[] = [];
  let server: RunningServer;
  const start = async () => {
    const cosmos = { ...defaultCosmos, port: 0 };
    const logger = pino({ level: 'error' }, { write: (line: string) => errors.push(line) });
    server = await startServer({ ...defaultConfig, port: 0, cosmos, silent: true, database }, logger);
  };
  beforeEach(async () => {
    database.schema = `older_${randomUUID().replaceAll('-', '')}`;
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const text = (await readFile(old, 'utf8'))
      .replaceAll(/"until":"[^"]*"/g, `"until":"${later}"`)
      .replace(/(INTO branches VALUES \(.*), \d+, NULL\)/, `$1, ${Date.parse(later)}, NULL)`);
    await client.query(`CREATE SCHEMA ${database.schema}; SET search_path = ${database.schema}; ${text}`);
    await client.end();
    await start();
  });
  afterEach(async () => {
    await server.close();
    await dropSchema(database);
    expect(errors).toEqual([]);
  });

  const clientOf = (url: string, account = developmentAccount) =>
    new ServiceClient(() => ({
      url,
      base: `${url}/${account.name}`,
      account,
      takeLoggedErrors: () => [],
      close: async () => {},
    }));
  const readRows = async (url: string, account = developmentAccount) => {
    const client = clientOf(url, account);
    const { value } = JSON.parse((await client.get('/Tables')).body) as { value: { TableName: string }[] };
    const rows: string[] = [];
    for (const { TableName } of value) {
      const page = JSON.parse((await client.get(`/${TableName}`)).body) as { value: Record<string, string>[] };
      rows.push(...page.value.map(({ PartitionKey, RowKey }) => `${TableName}/${PartitionKey}/${RowKey}`));
    }
    return rows;
  };
  const call = (name: string, asked: object = {}) => askVerb(server, name, asked);

  it('is served, with all entities, tables, settings, snapshots and branches', async () => {
    expect(await readRows(server.url)).toEqual([since]);
    const cosmosUrl = server.cosmosUrl ?? '';
    // In the order of insertion.
    expect(await readRows(cosmosUrl, cosmosEmulatorAccount)).toEqual(['People/p/second', 'People/p/first']);
    expect(await call('snapshot restore', { name: 'base' })).toMatchObject({ tables: 2 });
    expect(await readRows(server.url)).toEqual([...allPeople, ...places]);
    const client = clientOf(server.url);
    const { body } = await client.get("/People(PartitionKey='p',RowKey='2')");
    expect(JSON.parse(body)).toMatchObject({
      'odata.etag': `W/"datetime'2026-11-26T05%3A20%3A14.3837871Z'"`,
      Timestamp: '2026-11-26T05:20:14.3837871Z',
      ...{ N: 2, L: '9007199254740993', Text: 'ä😀' },
    });
    expect((await client.get('/People?comp=acl', asXml)).body).toContain('<Permission>r</Permission>');
    expect((await client.get('/?restype=service&comp=properties', asXml)).body).toContain('<Days>3</Days>');
    const { branches } = (await call('branch list')) as { branches: { account: string }[] };
    expect(branches).toMatchObject([{ from: { account: developmentAccount.name, snapshot: 'base' } }]);
  });

  it('has what its calls have removed, and undoes them', async () => {
    const { undo } = (await call('undo list')) as { undo: UndoSummary[] };
    expect(undo.map(({ what }) => what)).toEqual([
      'delete devstoreaccount1/People where N lt 2',
      'reset devstoreaccount1/Places',
      'restore base',
      'reset devstoreaccount1',
    ]);
    expect((await call('snapshot list')) as object).toMatchObject({ snapshots: [{ name: 'base' }] });
    const states = [
      [...allPeople, ...places, since],
      ['Later/l/1', ...people, since],
      ['Later/l/1', ...people, ...places, since],
      ['Later/l/1', ...allPeople, ...places, since],
    ];
    for (const state of states) {
      expect(await call('undo', {})).toMatchObject({ leftOutCount: 0 });
      expect(await readRows(server.url)).toEqual(state);
    }
    expect((await clientOf(server.url).get('/?restype=service&comp=properties', asXml)).body).toContain(
      '<Days>3</Days>',
    );
    expect(await call('undo list')).toEqual({ undo: [] });
  });

  it('is upgraded once, and a server of that format does not start on it afterwards', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`SET search_path = ${database.schema}`);
    const version = async () => (await client.query('SELECT version FROM format')).rows;
    // It compares this number with its own.
    expect(await version()).toEqual([{ version: migrations.length }]);
    await server.close();
    await start();
    expect(await version()).toEqual([{ version: migrations.length }]);
    expect(migrations.length).toBeGreaterThan(5);
    await client.end();
  });
});
