import { anyOf, count, type FieldNotes, name, optional } from '../../schema.js';
import { account, table } from '../fields.js';

const place = (does: string, notes: FieldNotes = {}) =>
  optional(
    anyOf(does, [count('The position of a change.'), name('The name of a mark.')], {
      value: 'PLACE',
      wanted: 'the name of a mark or the position of a change',
      ...notes,
    }),
  );

/** What selects changes. */
export const changeFields = {
  since: place('Only changes after this mark, or after this position.', { example: 'ships an order' }),
  account: account('Only this account.'),
  table: optional(table('Only this table.')),
} as const;

/** The other end of what was written. */
export const until = place('Only changes before this mark, or up to this position.');
