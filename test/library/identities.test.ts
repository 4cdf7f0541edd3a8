import { TableClient } from '@azure/data-tables';
import { afterEach, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium, type TabulariumOptions } from '../../src/index.js';

const identities = {
  identities: { app: { roles: ['Storage Table Data Contributor'] }, reader: { roles: ['Storage Table Data Reader'] } },
};

describe('An instance with identities', () => {
  let instance: Tabularium | undefined;
  afterEach(() => instance?.close());
  const start = async (options: TabulariumOptions) => {
    instance = await startTabularium({ https: true, identities, ...options });
    return instance;
  };
  const clientOf = ({ endpoint, certificate = '', credential }: Tabularium, name: string) =>
    new TableClient(endpoint(), 'People', credential(name), {
      tlsOptions: { ca: certificate },
      retryOptions: { maxRetries: 0 },
    });

  it('has a credential for clients in the same process, which may do what the roles permit', async () => {
    const running = await start({});
    const [app, reader] = [clientOf(running, 'app'), clientOf(running, 'reader')];
    const entity = { partitionKey: 'p', rowKey: 'r' };

    await app.createTable();
    await app.createEntity(entity);

    expect(await reader.getEntity('p', 'r')).toMatchObject(entity);
    await expect(reader.upsertEntity(entity)).rejects.toMatchObject({
      statusCode: 403,
      details: { odataError: { code: 'AuthorizationPermissionMismatch' } },
    });
  });

  it('lists its identities, and gives child processes their environment', async () => {
    const running = await start({});

    expect((await running.identities.list()).map(({ name }) => name)).toEqual(['app', 'reader']);
    expect((await running.identities.environment('reader')).set.map(({ name }) => name)).toContain('IDENTITY_HEADER');
    expect(() => running.credential('reder')).toThrow("There is no identity 'reder'. Did you mean 'reader'?");
    expect(() => running.credential()).toThrow('Name an identity: app, reader.');
  });

  it.each([
    [{ https: false }, 'identities need https.'],
    [{ oauth: true }, 'identities and oauth exclude each other.'],
    [
      { identities: { identities: { a: { roles: ['Ownr'] } } } },
      "identities: identities.a.roles[0]: there is no role 'Ownr'",
    ],
    [{ identities: 'no-such-file' }, 'The identities in no-such-file cannot be read: it does not exist.'],
  ])('is not started with %o', async (options, message) => {
    await expect(start(options)).rejects.toThrow(message);
  });

  it('without identities has no credential', async () => {
    instance = await startTabularium();

    expect(() => instance?.credential('reader')).toThrow('The instance has no identities.');
    await expect(instance.identities.list()).rejects.toThrow('This server has no identities.');
  });
});
