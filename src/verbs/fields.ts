import { commandLine } from '../command-line.js';
import { durationForm, readDuration } from '../duration.js';
import { type FieldNotes, formed, name, object, optional } from '../schema.js';
import { type Audience, RejectedCall } from './verb.js';

/** Formats a number with its noun: `1 table`, `2 entities`. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** Returns the people who use the command line of a server. `server` is its URL. */
export function peopleAt(server: string): Audience {
  return { server, call: (words) => commandLine(words, server), data: (lines) => lines };
}

/** Returns the end of a line about a removal: how to undo it, or that it cannot be undone; empty if it removed nothing. */
export function undoHint(removed: number, id: string | undefined, { call }: Audience): string {
  if (removed === 0) return '';
  return id === undefined ? '. This cannot be undone' : `. To undo: ${call(`undo ${id}`)}`;
}

/** Formats the keys of an entity to follow the name of its table; empty for a whole table. */
export function keyWords(partitionKey: string | undefined, rowKey: string | undefined): string {
  return partitionKey === undefined ? '' : ` ${JSON.stringify(partitionKey)} ${JSON.stringify(rowKey)}`;
}

/** An optional account. */
export const account = (does: string) => optional(name(does, { value: 'NAME', example: 'devstoreaccount1' }));

/** A table. */
export const table = (does: string) => name(does, { value: 'TABLE', example: 'Orders' });

/** The name of a snapshot, which fits in paths and file names. (Our choice.) `empty` is reserved for `reset`. */
export const snapshotName = formed('Name of the snapshot.', /^(?!empty$)[A-Za-z0-9][\w.-]{0,62}$/, {
  value: 'NAME',
  wanted: "up to 63 letters, digits, dots, dashes and underscores, beginning with a letter or a digit, and not 'empty'",
  example: 'base',
});

/** A duration. */
export const duration = (does: string, notes: FieldNotes = {}) =>
  formed(does, durationForm, { value: 'TIME', wanted: 'a length of time, such as 90s, 5m, 1h or 7d', ...notes });

/** Parses a duration that its schema has checked. Unit: milliseconds. Errors: RejectedCall if it is too long. */
export function readLength(text: string, field: string): number {
  const ms = readDuration(text);
  if (ms === undefined) throw new RejectedCall(400, `'${field}' must be at most 10000d; got '${text}'.`);
  return ms;
}

/** The empty answer. */
export const Done = object('Done', 'An empty object.', {});
