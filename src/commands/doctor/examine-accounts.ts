import { defaultConfig } from '../../config.js';
import type { CommandConfig } from '../server-options.js';
import type { Finding } from './finding.js';

/** Who is served. Accounts that cannot be read never get here: reading the options has refused them. */
export function examineAccounts({ accounts, accountsFile }: CommandConfig): Finding {
  const names = accounts.map(({ name }) => name).join(', ');
  if (accounts === defaultConfig.accounts)
    return { about: 'accounts', says: `${names}, with the key that all SDKs know` };
  return { about: 'accounts', says: accountsFile === undefined ? names : `${names}, of ${accountsFile}` };
}
