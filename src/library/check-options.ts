import { ConfigError, databaseConnectionsMin, isHostPattern, isSchemaName, shownValue } from '../config.js';
import { databaseUrls } from '../database-url.js';
import { nearestName } from '../nearest-name.js';
import type { TabulariumOptions } from './tabularium.js';

/** The check of an option: whether it accepts a value, and a description of valid values. */
interface Check {
  readonly accepts: (value: unknown) => boolean;
  readonly wanted: string;
  /** Whether the value may hold a password, so that no message shows it. */
  readonly isSecret?: boolean;
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isBoolean = (value: unknown) => typeof value === 'boolean';
const isNumber = (value: unknown, max: number) => typeof value === 'number' && value >= 0 && value <= max;
const isList = (value: unknown, isRight: (one: unknown) => boolean) => Array.isArray(value) && value.every(isRight);

/** The check of each option. A new option without a check does not compile. */
const checks: { readonly [Name in keyof Required<TabulariumOptions>]: Check } = {
  port: {
    accepts: isPort,
    wanted: 'a whole number from 0 to 65535',
  },
  host: { accepts: isText, wanted: 'an address or a name of this machine, as 127.0.0.1' },
  allowedHosts: {
    accepts: (value) => isList(value, (one) => typeof one === 'string' && isHostPattern(one)),
    wanted: 'a list of names without scheme and port, as tables.example.com or *.internal',
  },
  location: { accepts: isText, wanted: 'the path of a folder; leave it out to keep everything in memory' },
  database: {
    accepts: (value) => typeof value === 'string' && databaseUrls(value).length > 0,
    wanted: 'the URL of a database, as postgres://user:password@host:5432/name',
    isSecret: true,
  },
  databaseSchema: {
    accepts: (value) => typeof value === 'string' && isSchemaName(value),
    wanted: 'at most 63 letters, digits and underscores',
  },
  databaseConnections: {
    accepts: (value) => isNumber(value, 9999) && Number.isInteger(value) && Number(value) >= databaseConnectionsMin,
    wanted: `a whole number from ${databaseConnectionsMin} to 9999`,
  },
  seed: {
    accepts: (value) => isText(value) || isList(value, isText),
    wanted: 'the path of a file or a folder, or a list of paths',
  },
  import: { accepts: isText, wanted: 'the path of a file or a folder' },
  exportOnExit: {
    accepts: (value) => isText(value) || isBoolean(value),
    wanted: 'the path of a file or a folder, or true for that of import',
  },
  accounts: {
    accepts: isAccounts,
    wanted: 'a list of at least one account, as { name, keys: [key] }',
  },
  cosmos: {
    accepts: (value) => isBoolean(value) || isCosmos(value),
    wanted: 'true, false or { port, accounts }',
  },
  https: {
    accepts: (value) => isBoolean(value) || isCertificate(value),
    wanted: 'true, false, { cert, key } or { pfx, password }, where cert, key and pfx are paths of files',
  },
  identities: {
    accepts: (value) => isText(value) || (typeof value === 'object' && value !== null && !Array.isArray(value)),
    wanted:
      'the path of a file of identities, or its content, as { identities: { reader: { roles: ["Storage Table Data Reader"] } } }',
  },
  oauth: { accepts: isBoolean, wanted: 'true or false' },
  journal: {
    accepts: (value) => isNumber(value, 999_999) && Number.isInteger(value),
    wanted: 'a whole number of requests from 0 to 999999',
  },
  journalBodies: { accepts: isBoolean, wanted: 'true or false' },
  explorer: { accepts: isBoolean, wanted: 'true or false' },
  undo: { accepts: isBoolean, wanted: 'true or false' },
  admin: {
    accepts: (value) => value === 'off' || value === 'loopback' || value === 'token',
    wanted: "'off', 'loopback' or 'token'",
  },
  adminToken: { accepts: isText, wanted: 'a text that cannot be guessed' },
  adminReadToken: { accepts: isText, wanted: 'a text that cannot be guessed' },
  faults: { accepts: isText, wanted: "'flaky', 'cloud' or rules in words, as table=Jobs fault=503 times=2" },
  faultSeed: {
    accepts: (value) => isNumber(value, 2 ** 32 - 1) && Number.isInteger(value),
    wanted: 'a whole number from 0 to 4294967295',
  },
  deleteTableMs: {
    accepts: (value) => isNumber(value, 999_999_999) && Number.isInteger(value),
    wanted: 'a whole number of milliseconds, up to 999999999',
  },
  cacheMb: { accepts: (value) => isNumber(value, 999_999), wanted: 'a number of MiB from 0 to 999999' },
  durability: { accepts: (value) => value === 'os' || value === 'fsync', wanted: "'os' or 'fsync'" },
  logger: { accepts: isLogger, wanted: 'a pino logger' },
};

const names = Object.keys(checks) as readonly (keyof TabulariumOptions)[];

/**
 * Checks options at run time, for callers without TypeScript: each name must be known, and each value must have the
 * right type and range. An option with the value undefined counts as absent.
 *
 * Errors: ConfigError with the name of the option, and a similar name or a description of valid values.
 */
export function checkOptions(options: unknown): asserts options is TabulariumOptions {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ConfigError(`The options cannot be ${shown(options)}. Pass an object, as { port: 0 }.`);
  }
  for (const [name, value] of Object.entries(options)) {
    const known = names.find((one) => one === name);
    if (known === undefined) throw new ConfigError(`There is no option '${shownValue(name)}'. ${suggestion(name)}`);
    const { accepts, wanted, isSecret } = checks[known];
    if (value !== undefined && !accepts(value)) {
      throw new ConfigError(`${name} cannot be ${isSecret ? 'this value' : shown(value)}. Pass ${wanted}.`);
    }
  }
}

function suggestion(name: string): string {
  const meant = nearestName(name, names);
  return meant === undefined ? `The options are: ${names.join(', ')}.` : `Did you mean '${meant}'?`;
}

/** Describes an invalid value. Lists and objects are not printed, because they may contain a key. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : `the string '${shownValue(value)}'`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'this list';
  if (typeof value === 'object' && value !== null) return 'this object';
  return typeof value === 'function' ? 'a function' : String(value);
}

function isAccount(value: unknown): boolean {
  return hasOnly(value, ['name', 'keys']) && typeof value['name'] === 'string' && isList(value['keys'], isString);
}

function isPort(value: unknown): boolean {
  return isNumber(value, 65535) && Number.isInteger(value);
}

function isCosmos(value: unknown): boolean {
  if (!hasOnly(value, ['port', 'accounts'])) return false;
  const { port, accounts } = value;
  return (port === undefined || isPort(port)) && (accounts === undefined || isAccounts(accounts));
}

function isAccounts(value: unknown): boolean {
  return isList(value, isAccount) && (value as readonly unknown[]).length > 0;
}

function isCertificate(value: unknown): boolean {
  const isPassword = (one: unknown) => one === undefined || typeof one === 'string';
  if (hasOnly(value, ['cert', 'key', 'password'])) {
    return isText(value['cert']) && isText(value['key']) && isPassword(value['password']);
  }
  return hasOnly(value, ['pfx', 'password']) && isText(value['pfx']) && isPassword(value['password']);
}

function isLogger(value: unknown): boolean {
  const methods = ['debug', 'info', 'warn', 'error', 'fatal'];
  return (
    typeof value === 'object' &&
    value !== null &&
    methods.every((name) => typeof Reflect.get(value, name) === 'function')
  );
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

/** Returns whether a value is an object without other properties than these. */
function hasOnly<Name extends string>(
  value: unknown,
  known: readonly Name[],
): value is { readonly [one in Name]?: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.keys(value).every((name) => (known as readonly string[]).includes(name));
}
