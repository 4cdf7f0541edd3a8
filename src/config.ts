import type { TlsConfig } from './http/tls.js';
import { type Account, developmentAccount } from './protocol/accounts.js';

/** Everything that can be set. */
export interface Config {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The folder under which the data folder is made. */
  readonly location: string;
  readonly inMemory: boolean;
  readonly silent: boolean;
  /** The form of log lines: for people, or JSON. */
  readonly log: 'human' | 'json';
  /** File of the debug log, which is JSON and goes beside the other. */
  readonly debug: string | undefined;
  readonly accounts: readonly Account[];
  /** Hosts that browsers may use beside those that are always allowed: names, `*.` and a name, or `*`. */
  readonly allowedHosts: readonly string[];
  /** Whether an account in the path always comes before one in the host. */
  readonly pathFirst: boolean;
  /** How long an idle connection is kept; 0 for as long as the client likes, as in the two bounds below. */
  readonly keepAliveMs: number;
  /** How long a client may take for the headers of a request. */
  readonly headersMs: number;
  /** How long a client may take for the next byte of a body. */
  readonly bodyMs: number;
  /** Whether bearer tokens are taken; they need HTTPS. */
  readonly oauth: boolean;
  /** What the read cache may hold. Unit: MiB. */
  readonly cacheMb: number;
  /** What an acknowledged write has reached: the operating system, or the disk. */
  readonly durability: 'os' | 'fsync';
  /** Serve HTTPS, with which certificate. */
  readonly tls: TlsConfig | undefined;
}

/** The settings of a server that nobody set anything for. Ports and host are those of every emulator. */
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

/** A setting that cannot be used. The message says which and what would do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** How much of a wrong value a message shows. Unit: characters. */
const shownMax = 60;

/** Returns a wrong value as messages show it: one line, and its beginning if it is long. */
export function shownValue(text: string): string {
  return escapeText(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);
}

/** Escapes what would break a line or be a command to a terminal. */
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
 * Reads accounts as `name:key1:key2;…`, one or two base64 keys each. `source` is how messages call the text.
 *
 * Errors: ConfigError naming the account at fault. Source: emulator, section 4.
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

/** Lets accounts pass that a server can have. Errors: ConfigError naming where they come from and the one at fault. */
export function checkAccounts(accounts: readonly Account[], source: string): readonly Account[] {
  if (accounts.length === 0) throw new ConfigError(`${source} names no account.`);
  for (const account of accounts) checkAccount(account, source);
  const names = accounts.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new ConfigError(`${source} names the account ${twice} twice.`);
  return accounts;
}

function checkAccount({ name, keys }: Account, source: string): void {
  if (!/^[a-z0-9][a-z0-9-]*$/i.test(name)) {
    throw new ConfigError(`${source}: '${shownValue(name)}' cannot be an account's name; use letters and digits.`);
  }
  if (name.endsWith('-secondary')) {
    throw new ConfigError(`${source}: '${name}' ends like a secondary endpoint; choose another name.`);
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

/** Whether a text can be one of `--allowedHosts`: a name, `*.` and a name, or `*`. */
export function isHostPattern(text: string): boolean {
  return /^(?:\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)$/i.test(text);
}
