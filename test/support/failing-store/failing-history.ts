import fc from 'fast-check';
import { cosmosTraits } from '../../../src/dialects/cosmos/traits.js';
import { storageTraits } from '../../../src/protocol/service-traits.js';
import { failingPlaces } from './injected-failures.js';
import { idOfKept, type Operation, type StateName } from './store-model.js';

/** The services of the accounts. */
export const traitsOf = { storage: storageTraits, cosmos: cosmosTraits };
/** The accounts that no branch has. */
export const accounts = ['one', 'two'] as const;
const account = fc.constantFrom(...accounts, 'branch' as const);
const table = fc.constantFrom('Table', 'Other');
const row = fc.constantFrom('a', 'b', 'c', 'n', 'z');
const manyRows = Array.from({ length: 1100 }, (_, at) => `m${at}`);
const stretch = fc
  .record({ from: fc.nat(800), length: fc.constantFrom(40, 130, 300) })
  .map(({ from, length }) => manyRows.slice(from, from + length));
const rows = fc.oneof(
  { weight: 30, arbitrary: fc.uniqueArray(row, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant(manyRows) },
  // Some are so large that their table's highest key is looked up, or that their frame has the values. Rows are below and above.
  { weight: 3, arbitrary: fc.tuple(stretch, row).map(([some, one]) => [...some, one]) },
);
const snapshot = fc.constantFrom('s', 't');
const number = fc.nat(99);
const someAccounts = fc.constantFrom(['one'], ['two'], ['one', 'two']);
const id = someAccounts.map(idOfKept);
const own = fc.constantFrom(...accounts);
const state: fc.Arbitrary<StateName> = fc.oneof(fc.record({ account }), fc.record({ account: own, snapshot }));

const the = <T extends string>(name: T) => fc.constant(name);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: the('put'), account, table, rows, number }) },
  { weight: 3, arbitrary: fc.record({ do: the('insert'), account, table, row, number }) },
  { weight: 4, arbitrary: fc.record({ do: the('remove'), account, table, row }) },
  { weight: 5, arbitrary: fc.record({ do: the('create'), account, table }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('drop' as const, 'empty' as const), account, table }) },
  { weight: 1, arbitrary: fc.record({ do: the('reset'), account: own }) },
  { weight: 4, arbitrary: fc.record({ do: the('take'), snapshot, accounts: someAccounts }) },
  {
    weight: 3,
    arbitrary: fc
      .record({ do: the('restore'), snapshot, from: own, to: own, isKept: fc.boolean() })
      .map(({ isKept, ...one }) => ({ ...one, id: isKept ? idOfKept([one.to]) : undefined })),
  },
  { weight: 1, arbitrary: fc.record({ do: the('forget'), snapshot }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: the('branch'),
      account: fc.constant('branch'),
      from: fc.oneof(fc.record({ account: own }), fc.record({ account: own, snapshot })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: the('end branch'), account: fc.constant('branch') }) },
  {
    weight: 3,
    arbitrary: someAccounts.map((its) => ({ do: 'begin' as const, id: idOfKept(its), accounts: its })),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('revert' as const, 'discard' as const), id }) },
  { weight: 2, arbitrary: fc.record({ do: the('freeze'), state }) },
  { weight: 3, arbitrary: fc.record({ do: the('view') }) },
);

const failure = fc.record({
  place: fc.constantFrom(...failingPlaces),
  after: fc.oneof(fc.constant(0), fc.nat(3)),
  isLasting: fc.boolean(),
  done: fc.constantFrom('none' as const, 'half' as const, 'all' as const),
  turns: fc.constantFrom(0, 0, 1, 5, 20),
});

const step = fc.oneof(
  { weight: 30, arbitrary: fc.record({ do: the('ask'), operation, turns: fc.constantFrom(0, 0, 0, 1, 4) }) },
  { weight: 4, arbitrary: fc.record({ do: the('fail'), failure }) },
  { weight: 2, arbitrary: fc.record({ do: the('work again') }) },
  { weight: 3, arbitrary: fc.record({ do: the('read views') }) },
  { weight: 2, arbitrary: fc.record({ do: the('sweep') }) },
  { weight: 3, arbitrary: fc.record({ do: the('settle') }) },
  { weight: 1, arbitrary: fc.record({ do: the('reopen'), failure: fc.option(failure, { nil: undefined }) }) },
  { weight: 1, arbitrary: fc.record({ do: the('kill') }) },
  { weight: 1, arbitrary: fc.record({ do: the('cut the power'), seed: fc.nat() }) },
);
/** A step of a history. */
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Any history of a store on a disk that fails. */
export const anyHistory = fc.record({
  durability: fc.constantFrom('os' as const, 'fsync' as const),
  service: fc.constantFrom('storage' as const, 'cosmos' as const),
  /** Whether each write to the log seems slow, so that later ones get a thread. */
  isSlow: fc.boolean(),
  steps: fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }),
});
/** A history of a store on a disk that fails. */
export type History = typeof anyHistory extends fc.Arbitrary<infer T> ? T : never;
