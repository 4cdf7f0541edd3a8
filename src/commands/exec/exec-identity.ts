import { ConfigError } from '../../config.js';
import { disturbingVariables, environmentFor } from '../../identity/environment.js';
import type { RunningServer } from '../../server.js';
import { certificateHosts } from '../../tls/own-certificate.js';
import { variablesOf } from '../options/option-sources.js';
import { optionNames, rowOf } from '../options/option-table.js';
import type { CommandConfig } from '../options/server-options.js';
import { type TrustFiles, writeTrustFiles } from './trust-files.js';

/** Variables of this program that hold keys, tokens and passwords, or the secrets of all identities. */
const secretVariables = [
  'TABULARIUM_CONNECTION_STRING',
  'COSMOS_TABLE_CONNECTION_STRING',
  ...optionNames.filter((name) => rowOf(name).isSecret).flatMap(variablesOf),
];

/** The environment of a command that runs as an identity. */
export interface RunIdentity {
  /** Variables to set; undefined for those to remove. */
  readonly variables: NodeJS.ProcessEnv;
  /** Removes the files that the variables name. */
  dispose(): Promise<void>;
}

/** Returns settings with HTTPS, which identities need: with a certificate of this run, unless there is one. */
export function withHttps(config: CommandConfig): CommandConfig {
  const { tls, accounts, host, allowedHosts } = config;
  if (tls) return config;
  const hosts = certificateHosts(host, allowedHosts);
  const names = accounts.map(({ name }) => name);
  return { ...config, tls: { kind: 'self-signed', folder: undefined, accounts: names, hosts } };
}

/**
 * Returns the environment of a command that runs as an identity of the server; the only one if none is named. The command gets
 * no key, or a test would prove nothing. Errors: ConfigError with the nearest name.
 */
export async function runAs(
  name: string | undefined,
  { identities, certificate }: Pick<RunningServer, 'identities' | 'certificate'>,
  place: { readonly root: string; readonly account: string },
  environment: NodeJS.ProcessEnv,
): Promise<RunIdentity> {
  if (!identities) throw new ConfigError('--as needs --identity.');
  const identity = environmentFor(identities, identities.choose(name), place);
  const trust: TrustFiles | undefined = certificate && (await writeTrustFiles(certificate.file, environment));
  const removed = Object.fromEntries(
    [...disturbingVariables, ...secretVariables].map((variable) => [variable, undefined]),
  );
  return {
    variables: {
      ...removed,
      ...trust?.variables,
      ...identity,
      TABULARIUM_ENDPOINT: identity.AZURE_TABLES_ENDPOINT,
    },
    dispose: async () => trust?.dispose(),
  };
}
