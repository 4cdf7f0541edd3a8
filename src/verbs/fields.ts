import { durationForm, readDuration } from '../duration.js';
import { type FieldNotes, formed, name, object, optional } from '../schema.js';
import { Refusal } from './verb.js';

/** The account that a verb is about. */
export const account = (does: string) => optional(name(does, { value: 'NAME', example: 'devstoreaccount1' }));

/** A table. */
export const table = (does: string) => name(does, { value: 'TABLE', example: 'Orders' });

/** The name of a snapshot. */
export const snapshotName = name('Name of the snapshot.', { value: 'NAME', example: 'base' });

/** A length of time. */
export const duration = (does: string, notes: FieldNotes = {}) =>
  formed(does, durationForm, { value: 'TIME', wanted: 'a length of time, such as 90s, 5m, 1h or 7d', ...notes });

/** Returns a length of time that a schema has checked. Unit: milliseconds. Errors: Refusal for one that is too long. */
export function readLength(text: string, field: string): number {
  const ms = readDuration(text);
  if (ms === undefined) throw new Refusal(400, `'${field}' must be at most 10000d; got '${text}'.`);
  return ms;
}

/** The answer of a verb that has nothing to say. */
export const Done = object('Done', 'Nothing more to say.', {});
