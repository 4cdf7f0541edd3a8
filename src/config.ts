import type { Account } from './protocol/access/accounts.js';

/** An invalid setting. The message names it and describes valid values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Longest part of an invalid value that a message shows. Unit: UTF-16 code units. */
const shownMax = 60;

/** Formats an invalid value for error messages: on one line, and shortened if it is long. */
export function shownValue(text: string): string {
  return escapeText(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);
}

/** Escapes line breaks and control characters, which could be terminal commands or reverse a line. */
export function escapeText(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) => {
    const code = character.charCodeAt(0);
    return character === '\n'
      ? '\\n'
      : code < 256
        ? `\\x${code.toString(16).padStart(2, '0')}`
        : `\\u${code.toString(16)}`;
  });
}

/**
 * Parses accounts as `name:key1:key2;…`, each with one or two base64 keys. `source` is the name of the string in error messages.
 *
 * Errors: ConfigError with the invalid account. Source: emulator 4.
 */
export function readAccounts(text: string, source = 'AZURITE_ACCOUNTS'): readonly Account[] {
  const accounts = text
    .split(';')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => entry.split(':').map((part) => part.trim()))
    .map(([name = '', ...keys]) => ({ name, keys }));
  return checkAccounts(accounts, source);
}

/**
 * Converts accounts to Cosmos DB accounts. `others` are the storage accounts. Errors: ConfigError with `source` and a name that both
 * contain.
 */
export function asCosmosAccounts(
  accounts: readonly Account[],
  others: readonly Account[],
  source: string,
): readonly Account[] {
  const both = accounts.find(({ name }) => others.some((one) => one.name === name));
  if (both)
    throw new ConfigError(`${source}: the account ${both.name} is a storage account, too. Choose another name.`);
  return accounts.map((account) => ({ ...account, dialect: 'cosmos' }));
}

/** Checks accounts and returns them. Errors: ConfigError with `source` and the invalid account. */
export function checkAccounts(accounts: readonly Account[], source: string): readonly Account[] {
  if (accounts.length === 0) throw new ConfigError(`${source} names no account.`);
  for (const account of accounts) checkAccount(account, source);
  const names = accounts.map(({ name }) => name);
  const duplicate = names.find((name, at) => names.indexOf(name) !== at);
  if (duplicate !== undefined) throw new ConfigError(`${source} names the account ${duplicate} twice.`);
  return accounts;
}

function checkAccount({ name, keys }: Account, source: string): void {
  if (!/^[a-z0-9][a-z0-9-]*$/i.test(name)) {
    throw new ConfigError(
      `${source}: '${shownValue(name)}' cannot be the name of an account. Use letters, digits and dashes.`,
    );
  }
  if (name.endsWith('-secondary')) {
    throw new ConfigError(`${source}: '${name}' ends like a secondary endpoint. Choose another name.`);
  }
  if (keys.length < 1 || keys.length > 2) {
    throw new ConfigError(`${source}: the account ${name} needs one or two keys, as in ${name}:key1:key2.`);
  }
  for (const key of keys) {
    if (key === '' || key.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(key)) {
      throw new ConfigError(`${source}: a key of the account ${name} is not base64.`);
    }
  }
}
