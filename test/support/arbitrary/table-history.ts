import { setImmediate as otherWork } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Change } from '../../../src/entity/stored/change.js';
import { type EntityText, etagOf } from '../../../src/entity/stored/entity.js';
import { keyOf } from '../../../src/entity/stored/write-row.js';
import type { QueryPlan } from '../../../src/query/plan/plan.js';
import { isRejection, type Rejection, type TableStore } from '../../../src/store/store.js';
import { account, keyAt, numbered, numberOf } from '../store/store-changes.js';
import { History, linearize, type Step } from './history.js';

const rows = ['a', 'b', 'c'] as const;
type RowName = (typeof rows)[number];

/** The numbers of the rows of a table; undefined while it is missing. */
type TableState = Readonly<Partial<Record<RowName, number>>> | undefined;

const row = fc.constantFrom(...rows);

/** `seen` is the last tag that the client has seen of the row. */
const change = fc.record({
  row,
  kind: fc.constantFrom('insert' as const, 'replace' as const, 'merge' as const, 'delete' as const),
  condition: fc.constantFrom('none' as const, 'any' as const, 'seen' as const, 'seen' as const),
});

const write = fc.record({
  kind: fc.constant('write' as const),
  changes: fc.uniqueArray(change, { minLength: 1, maxLength: 3, selector: (one) => one.row }),
});
const read = fc.record({ kind: fc.constant('read' as const), row });
/** A page of the rows between two, both included. A filter that all rows match must change nothing. */
const page = fc.record({
  kind: fc.constant('page' as const),
  from: row,
  to: row,
  rowsMax: fc.constantFrom(1, 10),
  filtered: fc.boolean(),
});
const create = fc.record({ kind: fc.constant('create' as const) });
const drop = fc.record({ kind: fc.constant('drop' as const) });

type ValueOf<T> = T extends fc.Arbitrary<infer Value> ? Value : never;
type Writing = ValueOf<typeof write>;
type Paging = ValueOf<typeof page>;
type Action = { kind: 'create' | 'drop' } | ValueOf<typeof read> | Writing | Paging;

/** The actions of clients, each with the number of turns that it gives the others first. */
export type Scripts = readonly (readonly (readonly [Action, number])[])[];

/** How many clients there are, and how many actions each has: from, to. */
export interface ScriptBounds {
  readonly clients: readonly [number, number];
  readonly actions: readonly [number, number];
}

/** Any scripts of clients of one table, with creations and drops of the table or without. */
export function scripts(
  withDrops: boolean,
  { clients, actions }: ScriptBounds = { clients: [3, 3], actions: [2, 7] },
): fc.Arbitrary<Scripts> {
  const onRows = [
    { weight: 6, arbitrary: write },
    { weight: 5, arbitrary: read },
    { weight: 4, arbitrary: page },
  ];
  const onTable = [
    { weight: 2, arbitrary: create },
    { weight: 2, arbitrary: drop },
  ];
  const action: fc.Arbitrary<Action> = fc.oneof(...onRows, ...(withDrops ? onTable : []));
  const [fewest, most] = actions;
  const script = fc.array(fc.tuple(action, fc.nat(3)), { minLength: fewest, maxLength: most, size: 'max' });
  return fc.array(script, { minLength: clients[0], maxLength: clients[1] });
}

/**
 * Runs scripts on one table, each through a store of its own, and expects that all answers fit one order of whole
 * operations, and that no entity gets a tag twice. The table must exist and be empty.
 */
export async function expectOneOrder(stores: readonly TableStore[], table: string, all: Scripts): Promise<void> {
  const history = new History<TableState>();
  const tags = new Set<string>();
  let numbers = 0;
  const nextNumber = () => ++numbers;
  const clients = all.map((script, at) =>
    new TableClient(stores[at % stores.length] as TableStore, table, { history, tags, nextNumber }).run(script),
  );
  await Promise.all(clients);
  const keyOfState = (state: TableState) => (state ? String(rows.map((name) => state[name])) : 'missing');
  const { complete, order } = linearize<TableState>(history.entries, {}, keyOfState);
  const told = history.entries.map(({ name, begun, ended }) => `${begun}-${ended} ${name}`);
  expect(complete, `possible up to ${order.join('; ')}\nof ${told.join('\n')}`).toBe(true);
}

interface Shared {
  readonly history: History<TableState>;
  /** All tags that were given, with their rows. */
  readonly tags: Set<string>;
  readonly nextNumber: () => number;
}

/** A row as a client has seen it. */
interface Seen {
  readonly number: number;
  readonly etag: string;
}

class TableClient {
  readonly #store: TableStore;
  readonly #table: string;
  readonly #shared: Shared;
  readonly #seen = new Map<RowName, Seen>();

  constructor(store: TableStore, table: string, shared: Shared) {
    this.#store = store;
    this.#table = table;
    this.#shared = shared;
  }

  async run(script: Scripts[number]): Promise<void> {
    for (const [action, pauses] of script) {
      for (let pause = 0; pause < pauses; pause++) await otherWork();
      if (action.kind === 'write') await this.#write(action.changes);
      else if (action.kind === 'read') await this.#read(action.row);
      else if (action.kind === 'page') await this.#readPage(action);
      else if (action.kind === 'create') await this.#create();
      else await this.#drop();
    }
  }

  async #create(): Promise<void> {
    await this.#shared.history.record(
      'create',
      () => this.#store.createTable(account, this.#table),
      (answer, state) => {
        if (isRejection(answer)) return state ? { after: state } : 'impossible';
        return state ? 'impossible' : { after: {} };
      },
    );
  }

  async #drop(): Promise<void> {
    await this.#shared.history.record(
      'drop',
      () => this.#store.deleteTable(account, this.#table),
      (answer, state) => {
        if (isRejection(answer)) return state ? 'impossible' : { after: state };
        return state ? { after: undefined } : 'impossible';
      },
    );
  }

  async #read(name: RowName): Promise<void> {
    const text = await this.#shared.history.record(
      `read ${name}`,
      () => this.#store.openTable(account, this.#table).readEntity(keyAt(name)),
      (answer, state): Step<TableState> => {
        if (typeof answer === 'object' || !state) return missingIn(answer, state);
        return numberOf(answer) === state[name] ? { after: state } : 'impossible';
      },
    );
    if (typeof text !== 'object') this.#see(name, text);
  }

  async #readPage({ from, to, rowsMax, filtered }: Paging): Promise<void> {
    const plan: QueryPlan = {
      ranges: from <= to ? [{ from: { ...keyAt(from), side: 'before' }, to: { ...keyAt(to), side: 'after' } }] : [],
      rowsMax,
      ...(filtered && {
        filter: { kind: 'comparison', property: 'N', operator: 'ge', literal: { type: 'Edm.Int32', value: '0' } },
        matches: () => true,
      }),
    };
    await this.#shared.history.record(
      `page ${from}-${to}`,
      () => this.#store.openTable(account, this.#table).readPage(plan),
      (answer, state): Step<TableState> => {
        if (isRejection(answer) || !state) return missingIn(answer, state);
        const wanted = rows.filter((name) => name >= from && name <= to && state[name] !== undefined);
        const expected = wanted.slice(0, rowsMax).map((name) => `${name}${state[name]}`);
        const found = answer.rows.map((text) => `${keyOf(text, 'RowKey')}${numberOf(text)}`);
        const same = String(found) === String(expected) && answer.next?.rowKey === wanted[rowsMax];
        return same ? { after: state } : 'impossible';
      },
    );
  }

  async #write(asked: Writing['changes']): Promise<void> {
    const number = this.#shared.nextNumber();
    const judged = asked.map((one) => ({ ...one, tag: this.#tagOf(one) }));
    const changes = judged.map(({ row: name, kind, tag }): Change => {
      const ifMatch = typeof tag === 'object' ? tag.etag : tag;
      const content = { key: keyAt(name), properties: numbered(number) };
      return kind === 'insert' ? { kind, ...content } : { kind, ...content, ifMatch };
    });
    const told = judged.map(
      ({ row: of, kind, tag }) => `${kind} ${of} if ${typeof tag === 'object' ? tag.number : tag}`,
    );
    const outcome = await this.#shared.history.record(
      `write ${number}: ${told}`,
      () => this.#store.openTable(account, this.#table).commit(changes),
      (answer, state): Step<TableState> => {
        if (!state || (isRejection(answer) && answer.reason === 'table-missing')) return missingIn(answer, state);
        let after = state;
        for (const [at, { row: of, kind, tag }] of judged.entries()) {
          const reason = reasonAgainst(kind, after[of], typeof tag === 'object' ? tag.number : tag);
          if (reason !== undefined) {
            return isRejection(answer) && answer.reason === reason && answer.at === at
              ? { after: state }
              : 'impossible';
          }
          after = { ...after, [of]: kind === 'delete' ? undefined : number };
        }
        return isRejection(answer) ? 'impossible' : { after };
      },
    );
    if (isRejection(outcome)) return;
    for (const [at, { row: of }] of judged.entries()) {
      const text = outcome[at];
      this.#see(of, text);
      if (!text) continue;
      const tag = `${of} ${etagOf(text)}`;
      expect(this.#shared.tags.has(tag), `${tag} was given before`).toBe(false);
      this.#shared.tags.add(tag);
    }
  }

  #tagOf({ row: name, kind, condition }: Writing['changes'][number]): Seen | '*' | undefined {
    if (kind === 'insert' || (condition === 'none' && kind !== 'delete')) return undefined;
    return condition === 'seen' ? (this.#seen.get(name) ?? '*') : '*';
  }

  #see(name: RowName, text: EntityText | null | undefined): void {
    const number = numberOf(text);
    if (text && number !== undefined) this.#seen.set(name, { number, etag: etagOf(text) });
  }
}

/** Judges an answer that says that the table is missing, or comes from a state in which it is. */
function missingIn(answer: unknown, state: TableState): Step<TableState> {
  const saysMissing = (answer as Rejection | undefined)?.reason === 'table-missing';
  return saysMissing && state === undefined ? { after: state } : 'impossible';
}

/** Returns why a change must be rejected for a row with this number, or for a missing row. */
function reasonAgainst(
  kind: Change['kind'],
  number: number | undefined,
  asked: number | string | undefined,
): string | undefined {
  if (kind === 'insert') return number === undefined ? undefined : 'entity-exists';
  if (asked === undefined) return undefined;
  if (number === undefined) return 'entity-missing';
  return asked === '*' || asked === number ? undefined : 'etag-differs';
}
