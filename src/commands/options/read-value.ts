import { delimiter } from 'node:path';
import { type Config, databaseConnectionsMin, isHostPattern, isSchemaName } from '../../config.js';
import { databaseUrls } from '../../database-url.js';

/** An invalid value of an option. The message describes valid values; the caller adds the name of the option. */
export class ValueFault extends Error {
  override readonly name = 'ValueFault';
}

/** Reads a text. Errors: ValueFault if it is empty. */
export function readText(text: string): string {
  if (text === '') throw new ValueFault('It is empty.');
  return text;
}

/** Reads paths, separated as those of a PATH. Errors: ValueFault if one is empty. */
export function readPaths(text: string): readonly string[] {
  const paths = text.split(delimiter);
  if (paths.includes('')) throw new ValueFault('A path is empty.');
  return paths;
}

/** Reads a switch: true, 1, yes, on, or false, 0, no, off, in any letter case. Errors: ValueFault. */
export function readSwitch(text: string): boolean {
  if (/^(?:true|1|yes|on)$/i.test(text)) return true;
  if (/^(?:false|0|no|off)$/i.test(text)) return false;
  throw new ValueFault('Use true or false.');
}

/** Reads a port; 0 means any free port. Errors: ValueFault. */
export function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) throw new ValueFault('A port is a number from 0 to 65535.');
  return Number(text);
}

/**
 * Reads host names, separated by commas: a name, `*.` and a name for all its subdomains, or `*` for any host.
 *
 * Errors: ValueFault for a name with a scheme or a port.
 */
export function readHosts(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every(isHostPattern)) {
    throw new ValueFault('Write names without scheme and port, as tables.example.com,*.internal.');
  }
  return names;
}

/** Reads a time. Unit: seconds. Errors: ValueFault. */
export function readSeconds(text: string): number {
  // A timer of Node.js runs for less than 2^31 milliseconds.
  if (!/^\d{1,7}$/.test(text) || Number(text) > 2_147_483) {
    throw new ValueFault('A time is a whole number of seconds, up to 2147483.');
  }
  return Number(text);
}

/** Reads a size. Unit: MiB. Errors: ValueFault. */
export function readSize(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new ValueFault('A size is a whole number of MiB.');
  return Number(text);
}

/** Reads how many requests the journal keeps. Errors: ValueFault. */
export function readJournal(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new ValueFault('It is a number of requests from 0 to 999999.');
  return Number(text);
}

/** Reads a time. Unit: milliseconds. Errors: ValueFault. */
export function readMilliseconds(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new ValueFault('A time is a whole number of milliseconds, up to 999999999.');
  return Number(text);
}

/** Reads a seed. Errors: ValueFault. */
export function readFaultSeed(text: string): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) >= 2 ** 32)
    throw new ValueFault('A seed is a number from 0 to 4294967295.');
  return Number(text);
}

/** Reads who may use the control endpoints. Errors: ValueFault. */
export function readAdmin(text: string): Config['admin'] {
  if (text === 'off' || text === 'loopback' || text === 'token') return text;
  throw new ValueFault('Use off, loopback or token.');
}

/** Reads the URL of a database. Errors: ValueFault, which never contains the URL. */
export function readDatabase(text: string): string {
  if (databaseUrls(text).length === 0) throw new ValueFault('Write it as postgres://user@host:5432/database.');
  return text;
}

/** Reads the name of a schema. Errors: ValueFault. */
export function readSchema(text: string): string {
  if (!isSchemaName(text)) throw new ValueFault('Use at most 63 letters, digits and underscores.');
  return text;
}

/** Reads a number of connections. Errors: ValueFault. */
export function readConnections(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) < databaseConnectionsMin) {
    throw new ValueFault(`Use a whole number from ${databaseConnectionsMin} to 9999.`);
  }
  return Number(text);
}

/** Reads a durability level: where an acknowledged write is stored. Errors: ValueFault. */
export function readDurability(text: string): Config['durability'] {
  if (text === 'os' || text === 'fsync') return text;
  throw new ValueFault('Use os or fsync.');
}

/** Reads the format of log lines. Errors: ValueFault. */
export function readLogForm(text: string): Config['log'] {
  if (text === 'human' || text === 'json') return text;
  throw new ValueFault('Use human or json.');
}

/** Reads the level of bearer token checks; `basic` is the only one. Errors: ValueFault. */
export function readOauth(text: string): 'basic' {
  if (text === 'basic') return text;
  throw new ValueFault('The only level is basic.');
}
