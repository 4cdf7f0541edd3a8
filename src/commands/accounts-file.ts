import { ConfigError, readAccounts } from '../config.js';
import type { Account } from '../protocol/accounts.js';
import { readTextFile, readTextFileAsync, type TextFile } from './read-text-file.js';

/**
 * Time between two reads of the file. Azurite reads its environment variable again every minute, but the variables of a
 * running process cannot be changed; a file can. The file is polled because file system events miss files that are
 * mounted or replaced. Unit: milliseconds.
 */
const pollMs = 1000;

/**
 * Reads a file of accounts. Each account is `name:key1:key2`; line feeds or semicolons separate accounts. Lines that
 * begin with # are comments.
 *
 * Errors: ConfigError with the path of the file and the name of the invalid account.
 */
export function readAccountsFile(path: string): readonly Account[] {
  return parse(readTextFile(asTextFile(path)), path);
}

function asTextFile(path: string): TextFile {
  return { path, subject: `The accounts in ${path}`, wanted: 'a file of accounts as name:key1:key2, one to a line' };
}

/** Receives the changes of a file of accounts. */
export interface AccountsListener {
  /** Is called after the file changed, with its accounts. */
  changed(accounts: readonly Account[]): void;
  /** Is called when the file can no longer be read or is invalid. The accounts stay as they were. */
  failed(error: ConfigError): void;
}

/**
 * Polls a file of accounts and reports changes. The timer does not keep the process alive.
 *
 * `known` holds the accounts from the last read. Returns a function that stops the polling. Nothing is reported after it
 * was called.
 */
export function watchAccountsFile(
  path: string,
  known: readonly Account[],
  { changed, failed }: AccountsListener,
  everyMs: number = pollMs,
): () => void {
  let last = JSON.stringify(known);
  let stopped = false;
  const poll = async () => {
    try {
      const accounts = parse(await readTextFileAsync(asTextFile(path)), path);
      if (!stopped && isChanged(JSON.stringify(accounts))) changed(accounts);
    } catch (error) {
      if (stopped) return;
      const fault = error instanceof ConfigError ? error : new ConfigError(`The accounts cannot be read: ${error}.`);
      if (isChanged(fault.message)) failed(fault);
    }
  };
  const isChanged = (found: string) => {
    const differs = found !== last;
    last = found;
    return differs;
  };
  // Polls never overlap. Otherwise a slow read of older content could be reported after a newer one.
  let timer: NodeJS.Timeout | undefined;
  const scheduleNext = () => {
    timer = setTimeout(() => void poll().finally(() => stopped || scheduleNext()), everyMs).unref();
  };
  scheduleNext();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

function parse(text: string, path: string): readonly Account[] {
  const lines = text.split(/\r?\n/).filter((line) => !line.trimStart().startsWith('#'));
  return readAccounts(lines.join(';'), path);
}
