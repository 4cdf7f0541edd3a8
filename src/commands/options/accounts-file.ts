import { ConfigError, readAccounts } from '../../config.js';
import type { Account } from '../../protocol/access/accounts.js';
import { followFile } from '../../user-files/follow-file.js';
import { readTextFile, readTextFileAsync, type TextFile } from '../../user-files/read-text-file.js';

/**
 * Reads a file of accounts, `name:key1:key2`, separated by line feeds or semicolons. Lines that begin with # are comments.
 *
 * Errors: ConfigError with the path of the file and the invalid account.
 */
export function readAccountsFile(path: string): readonly Account[] {
  return parse(readTextFile(asTextFile(path)), path);
}

function asTextFile(path: string): TextFile {
  return { path, subject: `The accounts in ${path}`, wanted: 'a file of accounts as name:key1:key2, one to a line' };
}

interface AccountsListener {
  changed(accounts: readonly Account[]): void;
  /** Called when the file becomes unreadable or invalid. The accounts stay unchanged. */
  failed(error: ConfigError): void;
}

/**
 * Polls a file of accounts and reports changes, because Azurite rereads its accounts every minute. `known` has the accounts of the
 * last read. Returns a function that stops polling.
 */
export function watchAccountsFile(
  path: string,
  known: readonly Account[],
  { changed, failed }: AccountsListener,
  everyMs?: number,
): () => void {
  const read = async () => {
    const value = parse(await readTextFileAsync(asTextFile(path)), path);
    return { fingerprint: JSON.stringify(value), value };
  };
  const asFault = (error: unknown) =>
    error instanceof ConfigError ? error : new ConfigError(`The accounts cannot be read: ${error}.`);
  return followFile(JSON.stringify(known), { read, changed, failed: (error) => failed(asFault(error)) }, everyMs);
}

function parse(text: string, path: string): readonly Account[] {
  const lines = text.split(/\r?\n/).filter((line) => !line.trimStart().startsWith('#'));
  return readAccounts(lines.join(';'), path);
}
