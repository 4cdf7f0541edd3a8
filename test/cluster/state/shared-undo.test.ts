import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import { defaultConfig } from '../../../src/settings/config.js';
import type { UndoSummary } from '../../../src/state/contract.js';
import { askVerb } from '../../support/clients/ask-verb.js';
import { ServiceClient } from '../../support/clients/service-client.js';
import { dropSchema } from '../../support/postgres/drop-schema.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';

describe.skipIf(!clusterDatabase)('what one of two servers on one database has removed', () => {
  const database = { url: clusterDatabase ?? '', schema: '', connections: 10 };
  let servers: RunningServer[] = [];
  let errors: string[] = [];

  const start = async (accounts = [developmentAccount]) => {
    const logger = pino({ level: 'error' }, { write: (line: string) => errors.push(line) });
    const server = await startServer({ ...defaultConfig, port: 0, silent: true, accounts, database }, logger);
    servers.push(server);
    return server;
  };
  const stop = async (server: RunningServer) => {
    servers = servers.filter((one) => one !== server);
    await server.close();
  };
  const clientOf = ({ url }: RunningServer) =>
    new ServiceClient(() => ({
      url,
      base: `${url}/${developmentAccount.name}`,
      account: developmentAccount,
      takeLoggedErrors: () => [],
      close: async () => {},
    }));
  const ask = (server: RunningServer, name: string, asked: object = {}) => askVerb(server, name, asked);
  const undoable = async (server: RunningServer) =>
    ((await askVerb(server, 'undo list')) as { undo: UndoSummary[] }).undo.map(({ id }) => id);
  const tagOf = async (server: RunningServer, row: string) => {
    const { status, headers } = await clientOf(server).get(`/Table(PartitionKey='p',RowKey='${row}')`);
    return status === 200 ? headers['etag'] : status;
  };

  let one: RunningServer;
  let two: RunningServer;
  let tags: unknown[];
  const tagsOf = async (server: RunningServer) => [await tagOf(server, 'a'), await tagOf(server, 'b')];
  beforeEach(async () => {
    Object.assign(database, { schema: `undo_${randomUUID().replaceAll('-', '')}` });
    servers = [];
    errors = [];
    [one, two] = await Promise.all([start(), start()]);
    await clientOf(one).post('/Tables', { TableName: 'Table' });
    for (const RowKey of ['a', 'b']) await clientOf(one).post('/Table', { PartitionKey: 'p', RowKey });
    tags = await tagsOf(one);
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.close()));
    expect(errors).toEqual([]);
    await dropSchema(database);
  });

  it('is listed and given back by the other one, which can take that back, too', async () => {
    const { undo } = (await ask(one, 'reset', { table: 'Table' })) as { undo: string };
    await clientOf(two).post('/Table', { PartitionKey: 'p', RowKey: 'b', N: 2 });
    const written = await tagOf(two, 'b');
    expect(await undoable(two)).toEqual([undo]);
    const { undo: again } = (await ask(two, 'undo', { id: undo })) as { undo: string };
    expect(await tagsOf(one)).toEqual(tags);
    expect(await undoable(one)).toEqual([again]);
    await expect(ask(one, 'undo', { id: undo })).rejects.toThrow(`${undo} is unknown or has expired.`);
    await ask(one, 'undo', { id: again });
    expect(await tagsOf(two)).toEqual([404, written]);
  });

  it('has another id than what the other one has removed, and neither takes it from the other', async () => {
    const deleted = { table: 'Table', filter: "RowKey eq 'a'" };
    const ids = [
      (await ask(one, 'entity delete', deleted)) as { undo: string },
      (await ask(two, 'reset')) as { undo: string },
    ].map(({ undo }) => undo);
    expect(new Set(ids).size).toBe(2);
    expect(await undoable(one)).toEqual(ids);
    expect(await ask(one, 'undo')).toMatchObject({ id: ids[1], tables: 1 });
    expect(await ask(two, 'undo')).toMatchObject({ id: ids[0], tables: 1 });
    expect(await tagsOf(two)).toEqual(tags);
  });

  it('is kept when that one stops and another one starts', async () => {
    const { undo } = (await ask(one, 'reset')) as { undo: string };
    await stop(one);
    const three = await start();
    expect(await undoable(three)).toEqual([undo]);
    expect(await ask(three, 'undo', { id: undo })).toMatchObject({ tables: 1 });
    expect(await tagsOf(two)).toEqual(tags);
  });

  it('is not given back by a server that does not have the account', async () => {
    const { undo } = (await ask(one, 'reset', { table: 'Table' })) as { undo: string };
    const other = await start([{ name: 'other', keys: [...developmentAccount.keys] }]);
    await expect(ask(other, 'undo')).rejects.toThrow(
      `${undo} concerns the account ${developmentAccount.name}, which is not one of this server.`,
    );
    expect(await undoable(two)).toEqual([undo]);
  });

  it('is given back once if both are asked at the same time', async () => {
    await ask(one, 'reset');
    const asked = await Promise.allSettled([ask(one, 'undo'), ask(two, 'undo')]);
    expect(asked.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await tagsOf(one)).toEqual(tags);
    expect(await undoable(two)).toHaveLength(1);
  });
});
