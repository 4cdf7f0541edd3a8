import { Abandoned } from '../../store.js';
import { StoreUnavailable } from '../../store-unavailable.js';
import { Connection, type ConnectionCounts } from '../connection/connection.js';
import type { DatabaseConfig } from '../connection/database-address.js';
import type { PageConnection, PageRequest, PageResult } from './read-page.js';
import { again, readMs } from './readers.js';

/** Further pages are rejected while this many wait. */
const waitingMax = 64;

/** The time limit for an answer. Unit: milliseconds. The database ends a statement after 30 s. */
const silentMs = 35_000;

/** Reads pages, each on a connection of its own. */
export class Scans {
  readonly #connections: readonly Connection[];
  readonly #free: Connection[];
  readonly #waiting: ((connection: Connection) => void)[] = [];

  constructor(config: DatabaseConfig, size: number, counts: ConnectionCounts) {
    this.#connections = Array.from({ length: size }, () => new Connection(config, counts));
    this.#free = [...this.#connections];
  }

  /** Reads a page on a connection of its own. Errors: Abandoned when the client has disconnected; StoreUnavailable. */
  async readPage(
    read: (connection: PageConnection, asked: PageRequest) => Promise<PageResult>,
    asked: PageRequest,
  ): Promise<PageResult> {
    const { isGone } = asked;
    const connection = this.#free.pop() ?? (await this.#wait());
    try {
      if (isGone?.()) throw new Abandoned();
      return await again(connection, performance.now() + readMs, async (client) => {
        const endsAt = () => performance.now() + silentMs;
        try {
          return await read({ client, within: (answer) => connection.within(client, endsAt(), answer) }, asked);
        } catch (error) {
          // A statement or a transaction may still be open.
          if (!(error instanceof Abandoned)) connection.drop(client);
          throw error;
        }
      });
    } finally {
      const next = this.#waiting.shift();
      if (next) next(connection);
      else this.#free.push(connection);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#connections.map((one) => one.end()));
  }

  #wait(): Promise<Connection> {
    if (this.#waiting.length >= waitingMax) {
      return Promise.reject(new StoreUnavailable('not-done', 'Too many queries wait for the database.'));
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
