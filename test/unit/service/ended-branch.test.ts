import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { createSignature } from '../../../src/auth/create-signature.js';
import { createClock } from '../../../src/clock/clock.js';
import { loadDialects } from '../../../src/dialects/load-dialects.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { createService } from '../../../src/service/service.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { openStore } from '../../../src/store/open-store.js';
import type { TableStore } from '../../../src/store/store.js';
import { createApp } from '../../../src/wire/create-app.js';

const { keys } = developmentAccount;

it.each(['storage', 'cosmos'] as const)(
  'a branch of %s that another server has ended gets no more tables',
  async (name) => {
    const clock = createClock();
    const store = await openStore({ engine: 'memory' }, { clock, cacheBytes: 0 });
    const accounts = new Accounts([{ name: 'first', keys, dialect: name }]);
    accounts.add({ name: 'branch', keys, dialect: name });
    const made: string[] = [];
    const shared: TableStore = Object.assign(Object.create(store) as TableStore, {
      // A database tells it when the settings are read.
      async readServiceProperties(account: string) {
        accounts.remove('branch', 'The branch has ended.');
        return store.readServiceProperties(account);
      },
      async createTable(account: string, table: string) {
        made.push(table);
        return store.createTable(account, table);
      },
    });
    const [dialect] = (await loadDialects([name])).list();
    const findAccounts = async () => {};
    const report = () => {};
    const service = createService({
      ...{ accounts, store: shared, now: clock.now, bearerTokens: false, report, findAccounts },
      ...(dialect && { dialect }),
    });
    const app = createApp({ service, logger: pino({ level: 'silent' }), bounds: defaultConfig, tls: undefined });
    try {
      const url = await app.app.listen({ host: '127.0.0.1', port: 0 });
      const access = { ss: 't', srt: 'sco', sp: 'rwdlacu', se: '2099-01-01' };
      const signature = createSignature(access, 'branch', keys[0] ?? '');
      const answer = await fetch(`${url}/branch/Tables?${signature}`, {
        method: 'POST',
        headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
        body: '{"TableName":"Late"}',
      });

      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain('it has: first');
      const later = await fetch(`${url}/branch/Tables?${signature}`);
      expect([later.status, await later.text()]).toEqual([404, expect.stringContaining('The branch has ended.')]);
    } finally {
      await app.stop();
      await store.close();
    }
  },
);
