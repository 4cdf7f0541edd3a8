import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { createSignature } from '../../../src/auth/create-signature.js';
import { createClock } from '../../../src/clock/clock.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { createService } from '../../../src/service/service.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { openStore } from '../../../src/store/open-store.js';
import type { Store, TableHandle, TableStore } from '../../../src/store/store.js';
import { type App, createApp } from '../../../src/wire/create-app.js';

const { name: account, keys } = developmentAccount;

describe('what a request asks of the store', () => {
  let store: Store;
  let app: App;
  let url: string;
  let asked: string[];
  /** The tables that were opened. */
  let opened: string[];
  /** Lets the settings of the account be read. */
  let release: () => void;
  beforeEach(async () => {
    const clock = createClock();
    store = await openStore({ engine: 'memory' }, { clock, cacheBytes: 0 });
    await store.createTable(account, 'Table');
    asked = [];
    opened = [];
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Answers later, as an engine does that is asked over a network.
    const remote: TableStore = Object.assign(Object.create(store) as TableStore, {
      async readServiceProperties(name: string) {
        asked.push('settings');
        await released;
        return store.readServiceProperties(name);
      },
      openTable: (name: string, table: string) => {
        opened.push(table);
        return recording(store.openTable(name, table));
      },
    });
    const report = () => {};
    const options = { accounts: new Accounts([developmentAccount]), now: clock.now, bearerTokens: false, report };
    const service = createService({ ...options, store: remote });
    const logger = pino({ level: 'silent' });
    app = createApp({ service, logger, bounds: defaultConfig, tls: undefined });
    url = `${await app.app.listen({ host: '127.0.0.1', port: 0 })}/${account}`;
  });
  afterEach(async () => {
    release();
    await app.stop();
    await store.close();
  });

  /** The same handle, which notes what it is asked for. */
  function recording(table: TableHandle): TableHandle {
    return new Proxy(table, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...values: unknown[]) => {
          asked.push(String(name));
          return Reflect.apply(member, target, values);
        };
      },
    });
  }

  const json = 'application/json;odata=nometadata';
  const send = (method: string, path: string, body?: string, added: Readonly<Record<string, string>> = {}) => {
    const access = createSignature({ tn: 'Table', sp: 'raud', se: '2099-01-01' }, account, keys[0] ?? '');
    const headers = { Accept: json, 'Content-Type': 'application/json', 'If-Match': '*', ...added };
    return fetch(`${url}${path}?${access}`, { method, headers, ...(body !== undefined && { body }) });
  };
  const entity = JSON.stringify({ PartitionKey: 'p', RowKey: 'r' });

  // Without an Origin, the answer to a write does not depend on the settings [operations 9.2].
  it.each([
    ['a get', () => send('GET', "/Table(PartitionKey='p',RowKey='none')"), 404, ['settings', 'readEntity']],
    ['a query', () => send('GET', '/Table()'), 200, ['settings', 'readPage']],
    ['an insert', () => send('POST', '/Table', entity), 201, ['commit']],
    ['an update', () => send('PUT', "/Table(PartitionKey='p',RowKey='none')", '{}'), 404, ['commit']],
    ['an insert of a page', () => send('POST', '/Table', entity, { Origin: url }), 201, ['settings', 'commit']],
  ])('is one operation on its table for %s', async (_what, ask, status, expected) => {
    release();
    expect(await ask()).toMatchObject({ status });
    expect(asked).toEqual(expected);
  });

  it.each([
    [
      'a get',
      'GET',
      "/table(PartitionKey='p',RowKey='none')",
      undefined,
      404,
      ['settings', 'readAccessPolicies', 'readEntity'],
    ],
    ['a query', 'GET', '/Table()', undefined, 200, ['settings', 'readAccessPolicies', 'readPage']],
    ['an insert', 'POST', '/Table', entity, 201, ['readAccessPolicies', 'commit']],
  ])('opens the table once for %s with a stored access policy', async (_what, method, path, body, status, expected) => {
    release();
    await store
      .openTable(account, 'Table')
      .writeAccessPolicies([{ id: 'all', permission: 'raud', expiry: '2099-01-01' }]);
    const access = createSignature({ tn: 'Table', si: 'all' }, account, keys[0] ?? '');
    const headers = { Accept: json, 'Content-Type': 'application/json' };

    const answer = await fetch(`${url}${path}?${access}`, { method, headers, ...(body !== undefined && { body }) });

    expect(answer).toMatchObject({ status });
    expect(asked).toEqual(expected);
    expect(opened).toEqual(['Table']);
  });

  it('is its operation while the settings of the account are still being read', async () => {
    const operated = new Promise<void>((resolve) => {
      const push = asked.push.bind(asked);
      asked.push = (...names) => {
        if (names.includes('readPage')) resolve();
        return push(...names);
      };
    });
    const answer = send('GET', '/Table()');
    await operated;
    release();
    expect(await answer).toMatchObject({ status: 200 });
  });
});
