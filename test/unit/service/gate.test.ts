import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { createSignature } from '../../../src/auth/create-signature.js';
import { createClock } from '../../../src/clock/clock.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { TableError } from '../../../src/protocol/errors.js';
import type { OperationGate } from '../../../src/service/gate.js';
import { createService } from '../../../src/service/service.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { openStore } from '../../../src/store/open-store.js';
import { createApp } from '../../../src/wire/create-app.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Returns a gate that is always active. */
const always = (pass: OperationGate['pass']): OperationGate => ({ isActive: true, pass });

/** Queries a table of a service with this gate; without one, of a service without a gate. */
async function statusThrough(gate?: OperationGate): Promise<number> {
  const clock = createClock();
  const store = await openStore({ engine: 'memory' }, { clock, cacheBytes: 0 });
  await store.createTable(developmentAccount.name, 'Table');
  const accounts = new Accounts([developmentAccount]);
  const report = () => {};
  const service = createService({
    accounts,
    store,
    now: clock.now,
    bearerTokens: false,
    report,
    ...(gate && { gate }),
  });
  const { app, stop } = createApp({
    service,
    logger: pino({ level: 'silent' }),
    bounds: defaultConfig,
    tls: undefined,
  });
  closers.push(stop, () => store.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const key = developmentAccount.keys[0] ?? '';
  const access = createSignature({ tn: 'Table', sp: 'r', se: '2099-01-01' }, developmentAccount.name, key);
  const { status } = await fetch(`${url}/${developmentAccount.name}/Table()?${access}`);
  return status;
}

it('A gate sees each operation before it runs and after it has answered', async () => {
  const seen: unknown[] = [];

  const status = await statusThrough(
    always(async ({ loaded: { routed } }, run) => {
      seen.push(routed.row.operation.name);
      const done = await run();
      seen.push(done.answer.kind);
      return done;
    }),
  );

  expect(status).toBe(200);
  expect(seen).toEqual(['Query Entities', 'entities']);
});

it('A gate can reject a request instead of the operation', async () => {
  expect(await statusThrough(always(() => Promise.reject(new TableError('InternalError'))))).toBe(500);
});

it('A gate that is not active is not asked', async () => {
  expect(await statusThrough({ isActive: false, pass: () => Promise.reject(new Error('asked')) })).toBe(200);
});

it('A service needs no gate', async () => {
  expect(await statusThrough()).toBe(200);
});
