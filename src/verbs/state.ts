import { count, list, name, object, optional, text } from '../schema.js';
import {
  BranchSummary,
  DiffReport,
  MadeBranch,
  ResetReport,
  RestoreReport,
  SnapshotSummary,
  UndoReport,
  UndoSummary,
} from '../state/contract.js';
import { account, counted, Done, duration, keyWords, readLength, snapshotName, table, undoHint } from './fields.js';
import { verb } from './verb.js';

export const reset = verb({
  name: 'reset',
  does: 'Reset all data, or part of it, to the snapshot seed or to empty.',
  http: 'POST /reset',
  changes: 'data',
  agent: {
    when: 'Call it for a clean start. Undo brings the data back for ten minutes.',
    destroys: true,
    repeats: true,
  },
  example: 'reset --table Orders',
  takes: {
    account: account('Only this account. Branches are reset only by their name.'),
    table: optional(table('Only this table. It stays and ends up empty.')),
    tablePrefix: optional(name('Only tables whose names begin with this, in any case.', { value: 'TEXT' })),
    // An entity may have an empty PartitionKey.
    partition: optional(text('Only this partition of the table.', { value: 'KEY' })),
    to: optional(name('`empty` or a snapshot (default: `seed` if it exists, else `empty`).', { value: 'STATE' })),
  },
  answers: ResetReport,
  run: ({ state }, input) => state.reset(input),
  lines({ tables, entities, undo }, _input, audience) {
    const done =
      entities === undefined
        ? `${counted(tables, 'table')} reset`
        : `${counted(entities, 'entity', 'entities')} deleted`;
    return [`${done}${undoHint(entities ?? tables, undo, audience)}`];
  },
});

/** Formats a snapshot for people: `base 2026-11-24T10:00:00Z devstoreaccount1 (3 tables)`. */
function snapshotLine({ name, at, accounts }: SnapshotSummary): string {
  return `${name} ${at} ${accounts.map((one) => `${one.name} (${counted(one.tables, 'table')})`).join(', ')}`;
}

export const snapshotList = verb({
  name: 'snapshot list',
  does: 'List the snapshots by name, with their accounts.',
  http: 'GET /snapshots',
  changes: 'nothing',
  agent: { when: 'Call it before you restore one.' },
  example: 'snapshots',
  takes: {},
  answers: object('SnapshotList', 'All snapshots.', { snapshots: list('The snapshots, by name.', SnapshotSummary) }),
  lists: 'snapshots',
  run: async ({ state }) => ({ snapshots: await state.listSnapshots() }),
  lines: ({ snapshots }) => snapshots.map(snapshotLine),
});

export const snapshotCreate = verb({
  name: 'snapshot create',
  does: 'Take a snapshot of all accounts, or of one; replaces one of the same name.',
  http: 'PUT /snapshots/{name}',
  changes: 'data',
  agent: {
    when: 'Call it before you change data that you want back. One of the same name is lost.',
    destroys: true,
    repeats: true,
  },
  example: 'snapshot create base',
  takes: { name: snapshotName, account: account('Only this account.') },
  words: ['name'],
  answers: SnapshotSummary,
  run: ({ state }, { name, account }) => state.takeSnapshot(name, account === undefined ? undefined : [account]),
  lines: (summary) => [snapshotLine(summary)],
});

export const snapshotRestore = verb({
  name: 'snapshot restore',
  does: 'Restore the accounts of a snapshot, or one of them.',
  http: 'POST /snapshots/{name}/restore',
  changes: 'data',
  agent: {
    when: 'Call it to go back to a snapshot. Later data is removed; undo brings it back for ten minutes.',
    destroys: true,
    repeats: true,
  },
  example: 'snapshot restore base',
  takes: { name: snapshotName, account: account('Only this account.') },
  words: ['name'],
  answers: RestoreReport,
  run: ({ state }, { name, account }) => state.restoreSnapshot(name, account),
  lines: ({ tables, undo }, _input, audience) => [
    `${counted(tables, 'table')} restored${undoHint(tables, undo, audience)}`,
  ],
});

export const snapshotDelete = verb({
  name: 'snapshot delete',
  does: 'Delete a snapshot.',
  http: 'DELETE /snapshots/{name}',
  changes: 'data',
  example: 'snapshot delete base',
  takes: { name: snapshotName },
  words: ['name'],
  answers: Done,
  async run({ state }, { name }) {
    await state.deleteSnapshot(name);
    return {};
  },
  lines: () => ['deleted'],
});

export const branchList = verb({
  name: 'branch list',
  does: 'List the branches, the next to expire first.',
  http: 'GET /branches',
  changes: 'nothing',
  example: 'branches',
  takes: {},
  answers: object('BranchList', 'All branches.', { branches: list('The branches.', BranchSummary) }),
  lists: 'branches',
  run: async ({ state }) => ({ branches: await state.listBranches() }),
  lines: ({ branches }) =>
    branches.map(({ account, from, expires }) => {
      const source = from.snapshot === undefined ? from.account : `${from.account} of ${from.snapshot}`;
      return `${account} from ${source}, until ${expires}`;
    }),
});

const CreatedBranch = object('CreatedBranch', 'A new branch, with everything that clients need.', {
  ...MadeBranch.entries,
  connectionString: optional(name('Its connection string, by the host that the caller used.')),
});

export const branchCreate = verb({
  name: 'branch create',
  does: 'Create a throwaway account, empty or as a copy of a snapshot or an account.',
  http: 'POST /branches',
  changes: 'data',
  agent: { when: 'Call it to try something on a copy; the answer is its connection string.' },
  example: 'branch create --from base',
  takes: {
    from: optional(
      name('`empty`, a snapshot, or an account as it is now (default: `seed` if it exists).', { value: 'STATE' }),
    ),
    account: account('The account of a snapshot of several (default: the first one).'),
    mark: optional(
      name("The mark of its requests and changes, such as a test's name (default: that of the server).", {
        value: 'NAME',
        example: 'ships an order',
      }),
    ),
    for: optional(duration('When it ends by itself (default: 1h, at most 7d).', { example: '10m' })),
  },
  answers: CreatedBranch,
  async run({ state, connectionStringOf }, { for: length, ...wish }, caller) {
    const lasting = length !== undefined && { seconds: readLength(length, 'for') / 1000 };
    const branch = await state.branch({ ...wish, ...lasting });
    const connectionString = connectionStringOf(branch, caller);
    return { ...branch, ...(connectionString !== undefined && { connectionString }) };
  },
  // A single line, so that scripts can use the output as is.
  lines: ({ connectionString }) => (connectionString === undefined ? [] : [connectionString]),
});

export const branchDelete = verb({
  name: 'branch delete',
  does: 'Delete a branch and its data.',
  http: 'DELETE /branches/{account}',
  changes: 'data',
  example: 'branch delete branch1',
  takes: { account: name('The account of the branch.', { value: 'ACCOUNT', example: 'branch1' }) },
  words: ['account'],
  answers: Done,
  async run({ state }, { account }) {
    await state.endBranch(account);
    return {};
  },
  lines: () => ['deleted'],
});

const signs = { 'table-added': '+', 'table-removed': '-', added: '+', removed: '-', changed: '~' } as const;

export const diff = verb({
  name: 'diff',
  does: 'Compare two snapshots or accounts; the exit code is 1 if anything differs.',
  http: 'GET /diff',
  changes: 'nothing',
  agent: { when: 'Call it after a test to see what it changed since a snapshot.' },
  example: 'diff base',
  takes: {
    from: name('The earlier state: a snapshot, or an account as it is now.', { value: 'FROM', example: 'base' }),
    to: optional(name('The later state (default: the account of FROM as it is now).', { value: 'TO' })),
    account: account('The account of snapshots of several (default: the first one).'),
    table: optional(table('Only this table.')),
    limit: optional(count('The most differences (default: 1000).', 1, 10_000)),
  },
  words: ['from', 'to'],
  answers: DiffReport,
  run: ({ state, diffs }, input, { gone }) => diffs.take(() => state.diff(input), gone),
  lines: ({ differences, more }, _input, { data }) => [
    ...data(
      differences.map(
        ({ kind, table, partitionKey, rowKey }) => `${signs[kind]} ${table}${keyWords(partitionKey, rowKey)}`,
      ),
    ),
    ...(more ? ['There are more. Raise the limit, or choose one table.'] : []),
  ],
  exitCode: ({ differences }) => (differences.length > 0 ? 1 : 0),
});

export const undoList = verb({
  name: 'undo list',
  does: 'List the calls of the last ten minutes that can be undone, newest last.',
  http: 'GET /undo',
  changes: 'nothing',
  example: 'undo list',
  takes: {},
  answers: object('UndoList', 'The calls that can be undone.', { undo: list('At most five.', UndoSummary) }),
  lists: 'undo',
  run: async ({ state }) => ({ undo: await state.undos.list() }),
  lines: ({ undo }) => undo.map(({ id, what, at, until }) => `${id} ${at} ${what}, until ${until}`),
});

export const undo = verb({
  name: 'undo',
  does: 'Undo a reset, an import, a restore or a deletion of the last ten minutes.',
  http: 'POST /undo',
  changes: 'data',
  agent: { when: 'Call it if a reset, a restore, an import or a deletion was a mistake.', destroys: true },
  example: 'undo undo-1',
  takes: {
    id: optional(name('ID that the call printed (default: the most recent one).', { value: 'ID', example: 'undo-1' })),
  },
  words: ['id'],
  answers: UndoReport,
  run: ({ state }, { id }) => state.undo(id),
  lines: ({ what, tables, undo }, _input, audience) => [
    `undone: ${what}; ${counted(tables, 'table')} as before it, without later writes${undoHint(1, undo, audience)}`,
  ],
});
