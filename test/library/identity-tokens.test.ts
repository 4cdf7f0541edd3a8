import { rm } from 'node:fs/promises';
import { TableServiceClient } from '@azure/data-tables';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium, type TabulariumOptions } from '../../src/index.js';
import { makeFolder } from '../support/programs/make-folder.js';

const roles = { identities: { app: { roles: ['Storage Table Data Contributor'] } } };

describe('Tokens of identities', () => {
  let instances: Tabularium[] = [];
  let folder = '';
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(async () => {
    await Promise.all(instances.map((one) => one.close()));
    instances = [];
    await rm(folder, { recursive: true, force: true });
  });
  const start = async (options: TabulariumOptions = {}) => {
    const instance = await startTabularium({ https: true, identities: roles, ...options });
    instances.push(instance);
    return instance;
  };
  const clientOf = (
    { endpoint, certificate = '' }: Tabularium,
    credential: ReturnType<Tabularium['credential']>,
    version?: string,
  ) =>
    new TableServiceClient(endpoint(), credential, {
      tlsOptions: { ca: certificate },
      retryOptions: { maxRetries: 0 },
      ...(version !== undefined && {
        additionalPolicies: [
          {
            position: 'perCall',
            policy: {
              name: 'version',
              sendRequest(request, next) {
                request.headers.set('x-ms-version', version);
                return next(request);
              },
            },
          },
        ],
      }),
    });
  const list = async (client: TableServiceClient) => {
    for await (const _ of client.listTables()) break;
  };

  it('are requested from the tenant that a challenge names: 401, then 200', async () => {
    const instance = await start();
    const own = instance.credential('app');
    const asked: (string | undefined)[] = [];
    const discovering = {
      async getToken(scopes: string | readonly string[], { tenantId }: { readonly tenantId?: string } = {}) {
        asked.push(tenantId);
        const { token, expiresOnTimestamp } = await own.getToken(scopes);
        return { token: asked.length === 1 ? 'none.yet.x' : token, expiresOnTimestamp };
      },
    };

    await list(clientOf(instance, discovering, '2020-12-06'));

    const answers = (await instance.requests.list()).map(({ StatusCode }) => StatusCode);
    expect(answers).toEqual(['401', '200']);
    expect(asked).toEqual([undefined, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  it('that live for seconds are renewed by a client in a loop, without a rejected request', async () => {
    const instance = await start({ identities: { ...roles, tokenLifetime: '30s' } });
    const own = instance.credential('app');
    const issued = new Set<string>();
    const counting = {
      async getToken(scopes: string | readonly string[]) {
        const made = await own.getToken(scopes);
        issued.add(made.token);
        return made;
      },
    };
    const client = clientOf(instance, counting);

    while (issued.size < 3) await list(client);

    expect(new Set((await instance.requests.list()).map(({ StatusCode }) => StatusCode))).toEqual(new Set(['200']));
  });

  it('stay valid when a server with a folder restarts; in memory they end, and why says that the key is new', async () => {
    for (const [location, status] of [
      [folder, '200'],
      [undefined, '403'],
    ] as const) {
      const before = await start({ ...(location !== undefined && { location }) });
      const token = await before.credential('app').getToken('https://storage.azure.com/.default');
      const kept = { getToken: async () => token };
      await list(clientOf(before, kept));
      await before.close();
      const { port } = new URL(before.url);
      const after = await start({ port: Number(port), ...(location !== undefined && { location }) });

      await list(clientOf(after, kept)).catch(() => undefined);

      const answers = await after.requests.list();
      expect(answers.map(({ StatusCode }) => StatusCode)).toEqual([status]);
      if (status === '403') {
        expect((await after.why()).advice).toContain('a server in memory has a new key each time');
      }
      await after.close();
    }
  });

  it('pass the checks of --oauth basic, which are those of Azurite for blobs and queues', async () => {
    const token = await (await start()).credential('app').getToken('https://storage.azure.com/.default');
    const reading = await startTabularium({ https: true, oauth: true });
    instances.push(reading);

    await list(clientOf(reading, { getToken: async () => token }));

    expect((await reading.requests.list()).map(({ StatusCode }) => StatusCode)).toEqual(['200']);
  });
});
