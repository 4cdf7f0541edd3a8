import { commandLine } from '../command-line.js';
import { durationForm, readDuration } from '../duration.js';
import { type FieldNotes, formed, name, object, optional } from '../schema.js';
import { RejectedCall } from './verb.js';

/** Writes a number with its noun: `1 table`, `2 entities`. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** Returns the end of a line about a call that removed `removed` things from `server`: how to undo it, or that nothing was kept. */
export function undoHint(removed: number, id: string | undefined, server: string): string {
  if (removed === 0) return '';
  return id === undefined ? '. This cannot be undone' : `. To undo: ${commandLine(`undo ${id}`, server)}`;
}

/** Writes the keys of an entity after the name of its table; nothing for a whole table. */
export function keyWords(partitionKey: string | undefined, rowKey: string | undefined): string {
  return partitionKey === undefined ? '' : ` ${JSON.stringify(partitionKey)} ${JSON.stringify(rowKey)}`;
}

/** The account that a verb is about. */
export const account = (does: string) => optional(name(does, { value: 'NAME', example: 'devstoreaccount1' }));

/** A table. */
export const table = (does: string) => name(does, { value: 'TABLE', example: 'Orders' });

/** The name of a snapshot: it fits in paths and file names. (Our choice.) `reset` calls the state without data `empty`. */
export const snapshotName = formed('Name of the snapshot.', /^(?!empty$)[A-Za-z0-9][\w.-]{0,62}$/, {
  value: 'NAME',
  wanted: "up to 63 letters, digits, dots, dashes and underscores, beginning with a letter or a digit, and not 'empty'",
  example: 'base',
});

/** A length of time. */
export const duration = (does: string, notes: FieldNotes = {}) =>
  formed(does, durationForm, { value: 'TIME', wanted: 'a length of time, such as 90s, 5m, 1h or 7d', ...notes });

/** Returns a length of time that a schema has checked. Unit: milliseconds. Errors: RejectedCall for one that is too long. */
export function readLength(text: string, field: string): number {
  const ms = readDuration(text);
  if (ms === undefined) throw new RejectedCall(400, `'${field}' must be at most 10000d; got '${text}'.`);
  return ms;
}

/** The answer of a verb that has nothing to say. */
export const Done = object('Done', 'Nothing more to say.', {});
