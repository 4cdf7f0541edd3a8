import { accountEndpoint, connectionString, type EndpointOf } from '../client/connection-strings.js';
import { createCalls } from '../client/create-calls.js';
import { ConfigError } from '../config.js';
import type { Account } from '../protocol/access/accounts.js';
import { portOf } from '../protocol/access/connection-string.js';
import { type RunningServer, startServer } from '../server.js';
import { allVerbs } from '../verbs/registry.js';
import { createBranchCalls } from './branches.js';
import { createCredential } from './identity-calls.js';
import { createTransferCalls } from './import-data.js';
import type { TabulariumOptions } from './options.js';
import { readOptions } from './read-options.js';
import type { Tabularium } from './tabularium.js';

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
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= server.close();
    return closed;
  };
  return {
    url: server.url,
    port: portOf(server.url),
    cosmosUrl: server.cosmosUrl,
    certificate: server.certificate?.cert,
    adminToken: server.madeToken ?? adminToken,
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
