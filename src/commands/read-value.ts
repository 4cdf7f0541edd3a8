import { type Config, isHostPattern } from '../config.js';

/** A text that an option does not take. The message says what would do; who reads it says whose text it is. */
export class ValueFault extends Error {
  override readonly name = 'ValueFault';
}

/** Any text but an empty one. */
export function readText(text: string): string {
  if (text === '') throw new ValueFault('It is empty.');
  return text;
}

/** Yes or no, in the words that variables and files use. */
export function readSwitch(text: string): boolean {
  if (/^(?:true|1|yes|on)$/i.test(text)) return true;
  if (/^(?:false|0|no|off)$/i.test(text)) return false;
  throw new ValueFault('Say true or false.');
}

/** A port; 0 for a free one. */
export function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) throw new ValueFault('A port is a number from 0 to 65535.');
  return Number(text);
}

/**
 * Names of hosts, separated by commas: a name, `*.` and a name for all below it, or `*` for any.
 * Errors: ValueFault for an address of a page or a port.
 */
export function readHosts(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every(isHostPattern)) {
    throw new ValueFault('Write names without scheme and port, as tables.example.com,*.internal.');
  }
  return names;
}

/** A time. Unit: seconds. */
export function readSeconds(text: string): number {
  // Timers of Node.js end at 2^31 milliseconds.
  if (!/^\d{1,7}$/.test(text) || Number(text) > 2_147_483) {
    throw new ValueFault('A time is a whole number of seconds, up to 2147483.');
  }
  return Number(text);
}

/** A size. Unit: MiB. */
export function readSize(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new ValueFault('A size is a whole number of MiB.');
  return Number(text);
}

/** What an acknowledged write has reached. */
export function readDurability(text: string): Config['durability'] {
  if (text === 'os' || text === 'fsync') return text;
  throw new ValueFault('Say os or fsync.');
}

/** The form of log lines. */
export function readLogForm(text: string): Config['log'] {
  if (text === 'human' || text === 'json') return text;
  throw new ValueFault('Say human or json.');
}

/** The level of bearer tokens; there is one. */
export function readOauth(text: string): 'basic' {
  if (text === 'basic') return text;
  throw new ValueFault('The only level is basic.');
}
