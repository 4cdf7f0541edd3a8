import {
  anything,
  choice,
  count,
  flag,
  list,
  name,
  number,
  object,
  openObject,
  optional,
  type Shape,
  text,
} from '../schema.js';

const ms = number('How long it took, in milliseconds.');
const undo = optional(
  name('The ID by which it can be undone for ten minutes; absent if nothing is kept.', { example: 'undo-1' }),
);

/** Optional strings, documented by the verbs that take them. */
type Texts<Name extends string> = { readonly [One in Name]?: string };

/** The target state and the scope of a reset. Absent fields do not narrow the scope. */
export type ResetTarget = Texts<'account' | 'table' | 'tablePrefix' | 'partition' | 'to'>;

export const ResetReport = object('ResetReport', 'The result of a reset.', {
  to: name('`empty`, or the snapshot.'),
  tables: count('Tables that were removed, emptied or restored.'),
  entities: optional(count('Deleted entities; only for a partition.')),
  ms,
  undo,
});
export type ResetReport = Shape<typeof ResetReport>;

export const RestoreReport = object('RestoreReport', 'The result of a restore.', {
  tables: count('Restored tables.'),
  ms,
  undo,
});
export type RestoreReport = Shape<typeof RestoreReport>;

export const DeletionReport = object('DeletionReport', 'The result of a deletion by a filter.', {
  entities: count('Deleted entities.'),
  undo,
});
export type DeletionReport = Shape<typeof DeletionReport>;

export const SnapshotSummary = object('SnapshotSummary', 'A snapshot.', {
  name: name('Its name.'),
  at: name('When it was taken, in UTC. Every Timestamp in it is earlier.'),
  accounts: list(
    'Its accounts.',
    object('SnapshotAccount', 'An account in a snapshot.', {
      name: name('Its name.'),
      tables: count('How many tables it has.'),
    }),
  ),
});
export type SnapshotSummary = Shape<typeof SnapshotSummary>;

export const UndoSummary = object('UndoSummary', 'A call that can be undone.', {
  id: name('Its ID.', { example: 'undo-1' }),
  what: name('A description of the call.'),
  at: name('When it was, in UTC.'),
  until: name('Until when it can be undone, in UTC.'),
});
export type UndoSummary = Shape<typeof UndoSummary>;

export const UndoReport = object('UndoReport', 'The result of an undo.', {
  id: name('The call that was undone.'),
  what: name('A description of that call.'),
  tables: count('Restored tables. Later writes to them are removed.'),
  undo,
  ms,
});
export type UndoReport = Shape<typeof UndoReport>;

/** The source and the lifetime of a branch, and the mark of its requests. Unit: seconds. */
export type BranchRequest = Texts<'from' | 'account' | 'mark'> & { readonly seconds?: number };

const branch = {
  account: name('Its account.'),
  from: object('BranchSource', 'Its source.', {
    account: name('The account.'),
    snapshot: optional(name('The snapshot that has the account, or `empty`; absent: the account as it was.')),
  }),
  expires: name('When it ends by itself, in UTC.'),
};

export const BranchSummary = object('BranchSummary', 'A throwaway account that began as a copy.', branch);
export type BranchSummary = Shape<typeof BranchSummary>;

export const MadeBranch = object('MadeBranch', 'A new branch, with everything that clients need.', {
  ...branch,
  key: name('Its only key, in base64.'),
  tables: count('How many tables it began with.'),
  dialect: choice('The service that it belongs to.', ['storage', 'cosmos']),
});
export type MadeBranch = Shape<typeof MadeBranch>;

/** The states to compare, and the most differences to return. */
export type DiffRequest = Texts<'to' | 'account' | 'table'> & { readonly from: string; readonly limit?: number };

export const Difference = object('Difference', 'A table or an entity that differs between two states.', {
  kind: choice('How it differs.', ['table-added', 'table-removed', 'added', 'removed', 'changed']),
  table: name('Its table.'),
  partitionKey: optional(text('The entity; absent for a whole table.')),
  rowKey: optional(text('The entity; absent for a whole table.')),
  before: optional(anything('The entity in the earlier state.')),
  after: optional(anything('The entity in the later state.')),
});
export type Difference = Shape<typeof Difference>;

export const DiffReport = object('DiffReport', 'The differences between two states.', {
  differences: list(
    'The differences in table and key order, with entities as in a response with minimal metadata.',
    Difference,
  ),
  more: flag(
    'Whether there are more. A list ends at its limit, or before its entities have more than 16 Mi characters.',
  ),
});
export type DiffReport = Shape<typeof DiffReport>;

export const ReadEntities = object('ReadEntities', 'Entities of a table.', {
  entities: list(
    'The entities in the order of their keys, as in a response with minimal metadata.',
    openObject('An entity.'),
  ),
  more: flag('Whether there are more.'),
});
export type ReadEntities = Shape<typeof ReadEntities>;

export const DescribedTable = object('DescribedTable', 'A table as its first entities show it, at most 1,000.', {
  account: name('Its account.'),
  table: name('Its name.'),
  entities: count('How many entities were read.'),
  partitions: count('How many partitions they are in.'),
  more: flag('Whether the table has more entities, which may have other properties.'),
  properties: list(
    'The keys and the properties of these entities.',
    object('DescribedProperty', 'A property.', {
      name: name('Its name.'),
      types: list('The types of its values.', name('A type.')),
      entities: count('How many of the entities have it.'),
      example: text('The first of its values as JSON, cut after 80 characters.'),
    }),
  ),
});
export type DescribedTable = Shape<typeof DescribedTable>;

export const ListedTable = object('ListedTable', 'A table.', {
  account: name('Its account.'),
  name: name('Its name.'),
  entities: optional(count('How many entities it has, if they were counted.')),
});
export type ListedTable = Shape<typeof ListedTable>;
