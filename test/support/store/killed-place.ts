import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect } from 'vitest';
import { dropSchema } from '../postgres/drop-schema.js';
import { clusterDatabase } from '../postgres/open-cluster.js';
import { expectQuiet } from '../postgres/quiet-database.js';
import { type ChildServer, eachInFolder, startChild } from '../programs/child-server.js';

/** Where the killed servers of a file keep their data: in a folder for each test, or in a schema of the database under test. */
export interface KilledPlace {
  /** Starts a server when the database has ended what a killed one has asked for. */
  start(): Promise<ChildServer>;
}

/** Makes a place, which is removed after the tests of the file. */
export function makeKilledPlace(): KilledPlace {
  const url = clusterDatabase;
  const schema = `killed_${randomUUID().replaceAll('-', '')}`;
  let location = '';
  eachInFolder((folder) => {
    location = folder;
  });
  afterAll(() => (url === undefined ? undefined : dropSchema({ url, schema })));
  return {
    async start() {
      if (url === undefined) return startChild({ location });
      const observer = new pg.Client({ connectionString: url, application_name: 'test' });
      await observer.connect();
      await expectQuiet(observer);
      await observer.end();
      return startChild({ database: { url, schema } });
    },
  };
}

/** Kills a server at a moment that is somewhat random. */
export async function killSoon(server: ChildServer, random: () => number): Promise<void> {
  for (let turn = 0; turn < random() * 20; turn++) await nextTurn();
  expect(await server.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
}

/** Asks a control row. Returns undefined if the server was killed during the call. */
export async function askControl(
  server: ChildServer,
  method: string,
  path: string,
  body: object = {},
): Promise<unknown> {
  const answer = await fetch(`${server.url}/_tabularium${path}`, {
    method,
    ...(method !== 'GET' && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch(() => undefined);
  return answer?.ok ? answer.json().catch(() => undefined) : undefined;
}
