import { ConfigError, readAccounts } from '../config.js';
import type { Account } from '../protocol/accounts.js';
import { readTextFile, readTextFileLater, type TextFile } from './read-text-file.js';

/**
 * How often the file is looked at. Azurite reads its variable again every minute, but nobody can change a variable of
 * a process that runs; a file can be changed. Events would miss files that are mounted or swapped. Unit: milliseconds.
 */
const lookMs = 1000;

/**
 * Reads a file of accounts: each as `name:key1:key2`, on lines of their own or with semicolons between them. A line
 * that begins with # says nothing.
 *
 * Errors: ConfigError naming the file and the account at fault.
 */
export function readAccountsFile(path: string): readonly Account[] {
  return parse(readTextFile(asTextFile(path)), path);
}

function asTextFile(path: string): TextFile {
  return { path, subject: `The accounts in ${path}`, wanted: 'a file of accounts as name:key1:key2, one to a line' };
}

/** Who hears of a file of accounts. */
export interface AccountsListener {
  /** The file was changed and names these accounts. */
  changed(accounts: readonly Account[]): void;
  /** The file was changed and cannot be read; the accounts stay as they were. */
  failed(error: ConfigError): void;
}

/**
 * Looks at a file of accounts again and again, without keeping the process. `known` is what it said when it was read.
 * Returns how to stop.
 */
export function watchAccountsFile(
  path: string,
  known: readonly Account[],
  { changed, failed }: AccountsListener,
  everyMs: number = lookMs,
): () => void {
  let last = JSON.stringify(known);
  const look = async () => {
    try {
      const accounts = parse(await readTextFileLater(asTextFile(path)), path);
      if (isNews(JSON.stringify(accounts))) changed(accounts);
    } catch (error) {
      const fault = error instanceof ConfigError ? error : new ConfigError(`The accounts cannot be read: ${error}.`);
      if (isNews(fault.message)) failed(fault);
    }
  };
  const isNews = (found: string) => {
    const news = found !== last;
    last = found;
    return news;
  };
  // One look after the other: of two at once, the one that read the older content could be the last to tell of it.
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const lookLater = () => {
    timer = setTimeout(() => void look().finally(() => stopped || lookLater()), everyMs).unref();
  };
  lookLater();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

function parse(text: string, path: string): readonly Account[] {
  const lines = text.split(/\r?\n/).filter((line) => !line.trimStart().startsWith('#'));
  return readAccounts(lines.join(';'), path);
}
