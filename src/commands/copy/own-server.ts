import { Command } from 'commander';
import { connectionString, endpointOf } from '../../client/connection-strings.js';
import { sendRequest, type TargetServer, textOf } from '../../client/http-transport.js';
import { requestOf } from '../../client/request-of.js';
import { readServerUrl, urlVariable } from '../../client/server-url.js';
import { ConfigError } from '../../config.js';
import { branchCreate, branchDelete } from '../../verbs/state.js';
import { readConfig } from '../options/server-options.js';
import { targetServers } from '../verbs/run-verb.js';

/** How long a branch of a copy that is killed stays. */
const branchLength = '1d';

/** Returns the connection string of an account of the running server, by default the first one of its settings. Errors: ConfigError. */
export function ownConnectionString(account: string | undefined, environment: NodeJS.ProcessEnv): string {
  const config = readConfig(new Command(), environment);
  const accounts = [...config.accounts, ...(config.cosmos?.accounts ?? [])];
  const found = account === undefined ? accounts[0] : accounts.find(({ name }) => name === account);
  if (!found) throw new ConfigError(`The settings name no account ${account ?? ''}.`);
  const named = environment['TABULARIUM_URL'];
  return connectionString(named ? readServerUrl(named, urlVariable) : endpointOf(config), found);
}

/** An account of the running server as of one moment. */
export interface Moment {
  readonly connectionString: string;
  end(): Promise<void>;
}

/** Makes a branch of an account of the running server. Returns undefined, after a note, if the server does not allow it. */
export async function takeMoment(
  account: string,
  environment: NodeJS.ProcessEnv,
  note: (text: string) => void,
): Promise<Moment | undefined> {
  try {
    const [server] = targetServers([], environment);
    if (!server) return undefined;
    const branch = await call(server, requestOf(branchCreate, { from: account, for: branchLength }));
    return {
      connectionString: String(branch['connectionString']),
      end: async () => void (await call(server, requestOf(branchDelete, { account: branch['account'] }))),
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    note(`The copy is not of one moment: ${error.message}`);
    return undefined;
  }
}

async function call(server: TargetServer, request: ReturnType<typeof requestOf>): Promise<Record<string, unknown>> {
  return JSON.parse(await textOf(await sendRequest(server, request))) as Record<string, unknown>;
}
