import { defaultConfig, defaultCosmos } from '../../settings/config.js';
import type { CommandConfig } from '../options/server-options.js';
import type { Finding } from './finding.js';

/** Reports the accounts that are served. They are valid, because reading the options has already checked them. */
export function examineAccounts({ accounts, accountsFile }: CommandConfig): Finding {
  const names = accounts.map(({ name }) => name).join(', ');
  if (accounts === defaultConfig.accounts) return { about: 'accounts', found: `${names}, with the well-known key` };
  return { about: 'accounts', found: accountsFile === undefined ? names : `${names}, from ${accountsFile}` };
}

/** Reports the accounts of Cosmos DB, if they are served. */
export function examineCosmosAccounts({ cosmos }: CommandConfig): readonly Finding[] {
  if (!cosmos) return [];
  const names = cosmos.accounts.map(({ name }) => name).join(', ');
  const [account] = cosmos.accounts;
  const isWellKnown = account?.keys[0] === defaultCosmos.accounts[0]?.keys[0];
  return [{ about: 'accounts of Cosmos DB', found: isWellKnown ? `${names}, with the well-known key` : names }];
}
