import { ConfigError } from '../../config.js';
import { disturbingVariables, environmentFor } from '../../identity/environment.js';
import { notesOf } from '../../schema.js';
import type { RunningServer } from '../../server.js';
import { selfSigned } from '../../settings/config.js';
import { rowOf, settingNames, variablesOf } from '../../settings/settings.js';
import type { CommandConfig } from '../options/server-options.js';

/** Variables of this program that hold keys, tokens and passwords, or the secrets of all identities. */
const secretVariables = [
  'TABULARIUM_CONNECTION_STRING',
  'COSMOS_TABLE_CONNECTION_STRING',
  ...settingNames.filter((name) => notesOf(rowOf(name).is).isSecret).flatMap(variablesOf),
];

/** Returns settings with HTTPS, which identities need: with a certificate of this run, unless there is one. */
export function withHttps(config: CommandConfig): CommandConfig {
  return config.tls ? config : { ...config, tls: selfSigned(config, false) };
}

/**
 * Returns the variables of a command that runs as an identity of the server, the only one if none is named; undefined for those to
 * remove. The command gets no key, or a test would prove nothing. Errors: ConfigError with the nearest name.
 */
export function variablesAs(
  name: string | undefined,
  { identities }: Pick<RunningServer, 'identities'>,
  place: { readonly root: string; readonly account: string },
): NodeJS.ProcessEnv {
  if (!identities) throw new ConfigError('--as needs --identity.');
  const identity = environmentFor(identities, identities.choose(name), place);
  const removed = [...disturbingVariables, ...secretVariables].map((variable) => [variable, undefined]);
  return { ...Object.fromEntries(removed), ...identity, TABULARIUM_ENDPOINT: identity.AZURE_TABLES_ENDPOINT };
}
