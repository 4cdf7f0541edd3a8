import { TableError } from '../protocol/errors.js';
import { ownText } from '../remembered.js';
import type { RunOperation } from '../service/gate.js';
import type { Done } from '../service/run.js';
import type { TableStore } from '../store/store.js';
import type { RuledRequest } from './effects/effect.js';

/** The explanation of a rejection. */
const effect = 'The server was started with --deleteTableMs, and the table was deleted less than that before.';

/**
 * Recently deleted tables. Requests for their names are rejected for a while, as in the cloud, where deletion takes at least 40
 * seconds. The tables themselves are gone at once. Source: errors 4; operations 8.3.
 */
export class DeletedTables {
  readonly #forMs: number;
  readonly #now: () => number;
  readonly #store: Pick<TableStore, 'openTable'>;
  /** When names become free again, by account and name. */
  readonly #until = new Map<string, number>();

  /** Names are rejected for `forMs`. `now` returns milliseconds of any clock. */
  constructor(forMs: number, now: () => number, store: Pick<TableStore, 'openTable'>) {
    this.#forMs = forMs;
    this.#now = now;
    this.#store = store;
  }

  /** Runs an operation unless its table was just deleted. Errors: TableBeingDeleted; those of the operation. */
  async pass(request: RuledRequest, run: RunOperation): Promise<Done> {
    const { account, operation, service } = request;
    const table = request.addressed().table;
    if (table === undefined) return run();
    const name = `${account} ${service.dialect.operations.foldTableName(table)}`;
    const isRejected = this.#now() < (this.#until.get(name) ?? 0);
    // A reset, a restore or an undo may have brought the table back.
    if (isRejected && !(await this.#store.openTable(account, table).find())) {
      throw new TableError('TableBeingDeleted', {
        evidence: () => ({ check: 'fault', rule: 'deleteTableMs', effect }),
      });
    }
    const done = await run();
    if (operation === 'Delete Table') this.#add(name);
    return done;
  }

  #add(name: string): void {
    const now = this.#now();
    for (const [one, until] of this.#until) if (until <= now) this.#until.delete(one);
    this.#until.set(ownText(name), now + this.#forMs);
  }
}
