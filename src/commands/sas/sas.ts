import { signAccess, WishFault } from '../../auth/sign-access.js';
import { tableEndpoint } from '../../client/connection-strings.js';
import { targetEndpoint } from '../../client/server-url.js';
import { ConfigError, shownValue } from '../../config.js';
import type { CommandConfig } from '../options/server-options.js';
import type { SasFlags } from './sas-options.js';

/**
 * Returns a signed URL for a table or an account of a server with these settings. `now` is in milliseconds since 1970.
 * Errors: ConfigError with the name of the invalid option.
 */
export function signUrl(config: CommandConfig, flags: SasFlags, now: number): string {
  const account =
    flags.account === undefined ? config.accounts[0] : config.accounts.find(({ name }) => name === flags.account);
  const [key] = account?.keys ?? [];
  if (account === undefined || !key) {
    const names = config.accounts.map(({ name }) => name).join(', ');
    throw new ConfigError(`There is no account '${shownValue(flags.account ?? '')}'. The accounts are: ${names}.`);
  }
  const { account: _, ...wish } = flags;
  const query = orConfigError(() => signAccess(wish, { name: account.name, key }, now, optionWords));
  const endpoint = tableEndpoint(targetEndpoint(config), account.name);
  return `${endpoint}${wish.table === undefined ? '/' : `/${wish.table}`}?${query}`;
}

const optionWords = { field: (field: string) => `--${field}`, value: shownValue };

function orConfigError<Answer>(run: () => Answer): Answer {
  try {
    return run();
  } catch (error) {
    throw error instanceof WishFault ? new ConfigError(error.message) : error;
  }
}
