import type { ServerCalls } from '../client/calls.js';
import { accountEndpoint, connectionString, type EndpointOf } from '../client/connection-strings.js';
import { createCalls } from '../client/create-calls.js';
import { ConfigError } from '../config.js';
import type { Account } from '../protocol/access/accounts.js';
import { portOf } from '../protocol/access/connection-string.js';
import { type RunningServer, startServer } from '../server.js';
import type { ImportSource } from '../transfer/transfer.js';
import { allVerbs } from '../verbs/registry.js';
import { RejectedCall } from '../verbs/verb.js';
import type { TabulariumOptions } from './options.js';
import { readOptions } from './read-options.js';
import type { BranchCalls, IdentityCredential, ImportedData, Tabularium, TransferCalls } from './tabularium.js';

/**
 * Starts a server within this process. Errors: ConfigError for invalid options; StoreError if the data cannot be opened; a
 * system error if the port is in use.
 */
export async function startInstance(options: TabulariumOptions): Promise<Tabularium> {
  const config = readOptions(options);
  const server = await startServer(config, options.logger);
  try {
    if (server.certificate?.notice !== undefined) process.emitWarning(server.certificate.notice);
    return instance(server, config);
  } catch (error) {
    await server.close();
    throw error;
  }
}

function instance(
  server: RunningServer,
  { accounts: ofStorage, cosmos, host, adminToken }: ReturnType<typeof readOptions>,
): Tabularium {
  const scheme = server.url.startsWith('https') ? 'https' : 'http';
  const urls = { storage: server.url, cosmos: server.cosmosUrl ?? server.url };
  const endpointOf: EndpointOf = ({ dialect = 'storage' }) => ({ scheme, host, port: portOf(urls[dialect]) });
  const accounts = [...ofStorage, ...(cosmos?.accounts ?? [])];
  const find = (name: string | undefined) => {
    const account = name === undefined ? accounts[0] : accounts.find((one) => one.name === name);
    if (account) return account;
    const names = accounts.map((one) => one.name).join(', ');
    throw new ConfigError(`There is no account ${name}. The accounts are: ${names}.`);
  };
  const textOf = (account: Account) => connectionString(endpointOf(account), account);
  const [ofCosmos] = cosmos?.accounts ?? [];
  const calls = createCalls(allVerbs, server.callVerb);
  const { close } = server;
  return {
    url: server.url,
    port: portOf(server.url),
    cosmosUrl: server.cosmosUrl,
    certificate: server.certificate?.cert,
    adminToken: server.generatedToken ?? adminToken,
    connectionString: textOf(find(undefined)),
    cosmosConnectionString: ofCosmos && textOf(ofCosmos),
    credential: (identity) => createCredential(server, identity),
    connectionStringOf: (account) => textOf(find(account)),
    endpoint: (account) => accountEndpoint(endpointOf(find(account)), find(account)),
    ...calls,
    branches: createBranchCalls(calls.branches, endpointOf),
    ...createTransferCalls(server),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Adds connection strings and `delete` to created branches. */
function createBranchCalls(branches: ServerCalls['branches'], endpointOf: EndpointOf): BranchCalls {
  return {
    ...branches,
    async create(options = {}) {
      const branch = await branches.create(options);
      const { account: name, key, dialect } = branch;
      const account = { name, keys: [key], dialect };
      let deleted: Promise<void> | undefined;
      const remove = () => {
        deleted ??= branches.delete(name);
        return deleted;
      };
      return {
        ...branch,
        connectionString: connectionString(endpointOf(account), account),
        endpoint: accountEndpoint(endpointOf(account), account),
        delete: remove,
        // An expired branch must not mask the error of its block.
        [Symbol.asyncDispose]: () => remove().catch(throwUnlessMissing),
      };
    },
  };
}

function throwUnlessMissing(error: unknown): void {
  if (!(error instanceof RejectedCall && error.status === 404)) throw error;
}

/**
 * Returns the credential of an identity, by default the only one. Errors: ConfigError with the nearest name, or if the instance
 * has no identities.
 */
function createCredential(
  { identities }: Pick<RunningServer, 'identities'>,
  name: string | undefined,
): IdentityCredential {
  if (!identities) throw new ConfigError('The instance has no identities. Start it with https and identities.');
  const { name: chosen } = identities.choose(name);
  return {
    async getToken(scopes) {
      const resource = [scopes].flat()[0]?.replace(/\/\.default$/, '') ?? '';
      // Looked up again by name, because the file may have changed.
      const { token, expires } = await identities.issue(identities.choose(chosen), resource);
      return { token, expiresOnTimestamp: expires * 1000 };
    },
  };
}

/** Returns the import and export calls of an instance, which load their code on demand. */
function createTransferCalls({ openTransfer }: Pick<RunningServer, 'openTransfer'>): TransferCalls {
  return {
    async import(data, { format, ...wish } = {}) {
      const sources: readonly ImportSource[] =
        typeof data === 'string'
          ? await sourcesAt(data, format)
          : [{ format: format ?? 'ndjson', open: () => bytesOf(data) }];
      return (await openTransfer()).import(sources, wish);
    },
    async exportTo(path, wish = {}) {
      const { exportToPath } = await import('../transfer/files/write-aside.js');
      await exportToPath(await openTransfer(), path, wish);
    },
  };
}

async function sourcesAt(path: string, format: ImportSource['format'] | undefined): Promise<readonly ImportSource[]> {
  const { findImportFiles, sourceOf } = await import('../transfer/files/import-files.js');
  return (await findImportFiles(path, format)).map(sourceOf);
}

async function* bytesOf(data: Exclude<ImportedData, string>): AsyncGenerator<Uint8Array> {
  for await (const piece of data) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}
