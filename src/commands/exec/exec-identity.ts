import { ConfigError } from '../../config.js';
import { disturbingVariables, environmentFor } from '../../identity/environment.js';
import { notesOf } from '../../schema.js';
import type { RunningServer } from '../../server.js';
import { selfSigned } from '../../settings/config.js';
import { rowOf, settingNames, variablesOf } from '../../settings/settings.js';
import type { CommandConfig } from '../options/server-options.js';

/** Variables of this program with keys, tokens, passwords or the secrets of all identities. */
const secretVariables = [
  'TABULARIUM_CONNECTION_STRING',
  'COSMOS_TABLE_CONNECTION_STRING',
  ...settingNames.filter((name) => notesOf(rowOf(name).is).isSecret).flatMap(variablesOf),
];

/** Adds HTTPS to settings without it, with a temporary certificate, because identities require it. */
export function withHttps(config: CommandConfig): CommandConfig {
  return config.tls ? config : { ...config, tls: selfSigned(config, false) };
}

/**
 * Returns the variables for a command that runs as an identity, by default the only one; undefined values are to be removed. The
 * command gets no key, because a test with one would prove nothing. Errors: ConfigError with the nearest name.
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
