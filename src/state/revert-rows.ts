import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityKey, EntityText } from '../entity/stored/entity.js';
import type { QueryPlan } from '../query/plan/plan.js';
import type { EntityReversal, FrozenTables, KeptStates } from '../store/snapshots.js';
import { isRefusal, type TableStore } from '../store/store.js';
import type { LeftOut } from './contract.js';
import { pairRows, presentTables, type ReadTables, rowsOf } from './pair-rows.js';

/** Number of entities that are given back at once. Ours: few enough that other writes wait little. */
const revertedAtOnce = 500;

/** How many are named that were left out. */
const namedMax = 100;

/** Counts what an undo gives back, and what it leaves. */
export class UndoTally {
  readonly named: LeftOut[] = [];
  tables = 0;
  entities = 0;
  leftOut = 0;

  /** Counts something that stays as it is. */
  leave(left: LeftOut): void {
    this.leftOut++;
    if (this.named.length < namedMax) this.named.push(left);
  }
}

/** The rows of a table that one writer has written, if others write at the same time. */
export interface OwnRows {
  /**
   * Returns what an entity was before the writer came; null for nothing, undefined if it is not as the writer has written it.
   * `text` is what it was when the writer began.
   */
  before(key: EntityKey, present: EntityText, text: EntityText | null): EntityText | null | undefined;
}

/** A table that is reverted, with the tables as they were. */
export interface RevertedTable {
  readonly account: string;
  readonly table: string;
  /** The tables as they were before. */
  readonly before: FrozenTables;
  /** The tables as they were afterwards. Absent: what the plan finds was removed. */
  readonly after: ReadTables | undefined;
  /** What was removed; all entities if it is absent. */
  readonly plan: Pick<QueryPlan, 'ranges' | 'filter'> | undefined;
  /** Which entities are reverted. Absent: all that differ. */
  readonly own?: OwnRows;
}

/** Gives the entities of a table back what they were, except those that others have written since. */
export async function revertRows(
  kept: Pick<KeptStates, 'revertEntities'>,
  { account, table, before, after, plan, own }: RevertedTable,
  tally: UndoTally,
): Promise<void> {
  let reversals: EntityReversal[] = [];
  const flush = async () => {
    const left = await kept.revertEntities({ account, table, before }, reversals);
    if (isRefusal(left)) {
      tally.leave({ account, table, why: 'The table was deleted since.' });
      return false;
    }
    for (const at of left) {
      tally.leave({ account, table, ...reversals[at]?.key, why: 'The entity was written since.' });
    }
    tally.entities += reversals.length - left.length;
    reversals = [];
    // Requests come first.
    await nextTurn();
    return true;
  };
  const old = rowsOf(before, table, plan);
  const now = after === undefined ? [] : rowsOf(after, table);
  for await (const { key, before: text = null, after: present = null } of pairRows(old, now)) {
    const wanted = own ? present && own.before(key, present, text) : text;
    if (wanted === undefined || wanted === present) continue;
    reversals.push({ key, present, text: wanted });
    if (reversals.length === revertedAtOnce && !(await flush())) return;
  }
  if (reversals.length > 0) await flush();
}

/** Gives a table back its access policies, if no client has changed them since. */
export async function revertPolicies(
  store: TableStore,
  { account, table, before, after }: RevertedTable,
): Promise<void> {
  if (after === undefined) return;
  const states = [before, after, presentTables(store, account)];
  const [old, left, present] = await Promise.all(states.map(async (one) => one.open(table).readAccessPolicies()));
  const isAs = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  if (!old || !left || isAs(old, left) || !isAs(left, present)) return;
  await store.openTable(account, table).writeAccessPolicies(old);
}
