import { durationForm } from '../duration.js';
import { type FieldNotes, formed, list, name, object, optional } from '../schema.js';

/** The account that a verb is about. */
export const account = (does: string) => optional(name(does, { value: 'NAME', example: 'devstoreaccount1' }));

/** A table. */
export const table = (does: string) => name(does, { value: 'NAME', example: 'Orders' });

/** The name of a snapshot. */
export const snapshotName = name('Name of the snapshot.', { value: 'NAME', example: 'base' });

/** A length of time. */
export const duration = (does: string, notes: FieldNotes = {}) =>
  formed(does, durationForm, { value: 'TIME', wanted: 'a length of time, such as 90s, 5m, 1h or 7d', ...notes });

/** The answer of a verb that has nothing to say. */
export const Done = object('Done', 'Nothing more to say.', {});

/** The words of a rule, each of which a command line gives by itself. */
export const words = (does: string, notes: FieldNotes) => list(does, name('A word.'), notes);
