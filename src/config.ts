import type { TlsConfig } from './http/tls.js';
import { type Account, developmentAccount } from './protocol/accounts.js';

/** The settings of a server. */
export interface Config {
  readonly host: string;
  /** The port to listen on; 0 means any free port. */
  readonly port: number;
  /** The folder that contains the data folder. */
  readonly location: string;
  readonly inMemory: boolean;
  readonly silent: boolean;
  /** The format of log lines: text for people, or JSON. */
  readonly log: 'human' | 'json';
  /** The file of the debug log, which is JSON. It is written in addition to the normal log. */
  readonly debug: string | undefined;
  readonly accounts: readonly Account[];
  /** Hosts that browsers may use, in addition to those that are always allowed: names, `*.` and a name, or `*`. */
  readonly allowedHosts: readonly string[];
  /** Whether an account in the path always takes precedence over one in the host name. */
  readonly pathFirst: boolean;
  /** Time after which an idle connection is closed; 0 for no limit. */
  readonly keepAliveMs: number;
  /** Time in which a client must send the headers of a request; 0 for no limit. */
  readonly headersMs: number;
  /** Longest pause between two parts of a request body; 0 for no limit. */
  readonly bodyMs: number;
  /** Whether bearer tokens are accepted. They need HTTPS. */
  readonly oauth: boolean;
  /** The size of the read cache. Unit: MiB. */
  readonly cacheMb: number;
  /** Where an acknowledged write is stored: in the buffers of the operating system, or on disk. */
  readonly durability: 'os' | 'fsync';
  /** The certificate for HTTPS; undefined for HTTP. */
  readonly tls: TlsConfig | undefined;
}

/** The default settings. Host and port are those that all emulators of the service use. */
export const defaultConfig: Config = {
  host: '127.0.0.1',
  port: 10002,
  location: '.',
  inMemory: false,
  silent: false,
  log: 'human',
  debug: undefined,
  accounts: [developmentAccount],
  allowedHosts: [],
  pathFirst: false,
  keepAliveMs: 120_000,
  headersMs: 30_000,
  bodyMs: 60_000,
  oauth: false,
  cacheMb: 128,
  durability: 'os',
  tls: undefined,
};

/** An invalid setting. The message names it and describes valid values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Longest part of an invalid value that a message shows. Unit: UTF-16 code units. */
const shownMax = 60;

/** Returns an invalid value as error messages show it: on one line, and shortened if it is long. */
export function shownValue(text: string): string {
  return escapeText(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);
}

/** Escapes line breaks and control characters, which could be terminal commands. */
export function escapeText(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => {
    const code = character.charCodeAt(0);
    return character === '\n'
      ? '\\n'
      : code < 256
        ? `\\x${code.toString(16).padStart(2, '0')}`
        : `\\u${code.toString(16)}`;
  });
}

/**
 * Parses accounts as `name:key1:key2;…`, each with one or two base64 keys. `source` is the name of the text in error
 * messages.
 *
 * Errors: ConfigError with the name of the invalid account. Source: emulator 4.
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

/** Checks accounts and returns them. Errors: ConfigError with `source` and the name of the invalid account. */
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

/** Returns whether a text is a valid pattern for `--allowedHosts`: a name, `*.` and a name, or `*`. */
export function isHostPattern(text: string): boolean {
  return /^(?:\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)$/i.test(text);
}
