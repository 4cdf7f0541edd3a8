import { lowerAscii } from '../../../protocol/names.js';
import type { QueryPlan } from '../../../query/plan/plan.js';
import type { FrozenTables } from '../../snapshots.js';
import type { Page, Refusal, Table } from '../../store.js';
import type { LevelParts } from '../level-parts.js';
import { rowsOf } from '../read/read-page.js';
import { readTablePage } from '../read/read-table-page.js';
import type { Hold } from './rows-users.js';
import type { FrozenAccount, FrozenTable } from './snapshot-record.js';

/** Tables as they were at one moment. Their layers are held in memory, so nothing is written for them. */
export class LevelFrozenTables implements FrozenTables {
  readonly #parts: LevelParts;
  readonly #hasExactNames: boolean;
  readonly #held = new Map<string, { readonly table: FrozenTable; readonly hold: Hold }>();

  constructor(parts: LevelParts, { name: account, tables }: FrozenAccount) {
    this.#parts = parts;
    this.#hasExactNames = parts.services.traitsOf(account).hasExactTableNames;
    for (const table of tables)
      this.#held.set(this.#keyOf(table.name), { table, hold: parts.users.hold(table.layers) });
  }

  list(): readonly Table[] {
    const sorted = [...this.#held].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([, { table }]) => table);
  }

  open(name: string) {
    const found = this.#held.get(this.#keyOf(name));
    return {
      readPage: (plan: QueryPlan, isGone?: () => boolean): Promise<Page | Refusal> => {
        const locate = () => found && rowsOf(found.table.layers, found.table);
        return readTablePage(this.#parts, locate, plan, isGone);
      },
      readAccessPolicies: () => found && (found.table.policies ?? []),
    };
  }

  async release(): Promise<void> {
    for (const { hold } of this.#held.values()) this.#parts.users.release(hold);
  }

  #keyOf(name: string): string {
    // The account may end, and then be opened as one of another service.
    return this.#hasExactNames ? name : lowerAscii(name);
  }
}
