import pg, { type QueryResult } from 'pg';
import type { Statement } from '../schema/statements.js';
import { connectMs, type DatabaseConfig } from './database-address.js';
import { isUntrusted, needsNewConnection, notDone, unreplicatedRoutine } from './failures.js';
import { prepareSession } from './session.js';

/** Longest pause between two attempts to connect. Unit: milliseconds. */
const pauseMsMax = 250;

/** What connections count, for the metrics. */
export interface ConnectionCounts {
  opened: number;
  lost: number;
}

/** One connection to the database, opened when it is needed and again after it was lost. It never sends anything twice. */
export class Connection {
  readonly #config: DatabaseConfig;
  readonly #counts: ConnectionCounts;
  #client: pg.Client | undefined;
  #opening: Promise<pg.Client> | undefined;
  #isEnded = false;
  /** Whether the statement under way was committed here alone, because its wait for the standby was canceled. */
  #isUnreplicated = false;

  constructor(config: DatabaseConfig, counts: ConnectionCounts) {
    this.#config = config;
    this.#counts = counts;
  }

  /**
   * Returns the open client. Tries until `endsAt`, in milliseconds of `performance.now()`.
   *
   * Errors: StoreUnavailable, at once if the certificate is not trusted; StoreError for a session whose settings cannot be
   * relied on; the database's own error if a retry is of no use, such as a wrong password.
   */
  async open(endsAt: number): Promise<pg.Client> {
    for (let attempt = 0; ; attempt++) {
      if (this.#client) return this.#client;
      if (this.#isEnded) throw notDone();
      try {
        this.#opening ??= this.#connect().finally(() => {
          this.#opening = undefined;
        });
        return await this.#opening;
      } catch (error) {
        if (isUntrusted(error)) throw notDone(error);
        if (!needsNewConnection(error)) throw error;
        const pauseMs = Math.random() * Math.min(pauseMsMax, 2 ** attempt);
        if (performance.now() + pauseMs >= endsAt || this.#isEnded) throw notDone(error);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  /**
   * Runs a statement on the open client, and closes the connection if there is no answer until `endsAt`.
   *
   * Errors: the client's. `isOpen` tells whether the statement may have been made.
   */
  async run(client: pg.Client, statement: Statement, values: unknown[], endsAt: number): Promise<QueryResult> {
    this.#isUnreplicated = false;
    return this.within(client, endsAt, client.query({ ...statement, values }));
  }

  /** Returns whether the last statement was committed, but is not on the synchronous standby. */
  get isUnreplicated(): boolean {
    return this.#isUnreplicated;
  }

  /** Closes the connection at once; the next call of `open` makes a new one. */
  drop(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
    destroy(client);
  }

  /** Closes the connection for good. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#opening?.catch(() => {});
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config);
    const lose = () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      if (!this.#isEnded) this.#counts.lost++;
    };
    // An idle client that loses its connection emits an error, which would end the process.
    client.on('error', lose);
    client.on('end', lose);
    // Each statement under way listens, too.
    client.setMaxListeners(0);
    client.on('notice', ({ routine }) => {
      if (routine === unreplicatedRoutine) this.#isUnreplicated = true;
    });
    // A pooler answers before it has a session of the database.
    let timer: NodeJS.Timeout | undefined;
    try {
      await client.connect();
      timer = setTimeout(() => destroy(client), connectMs);
      await prepareSession(client, this.#config.address);
    } catch (error) {
      destroy(client);
      throw error;
    } finally {
      clearTimeout(timer);
    }
    this.#client = client;
    this.#counts.opened++;
    return client;
  }

  /**
   * Waits for an answer on the open client, and closes the connection if there is none until `endsAt`. Fails if the
   * connection is lost: a cursor that loses it at its end never answers.
   */
  async within<T>(client: pg.Client, endsAt: number, answer: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.drop(client), Math.max(1, endsAt - performance.now()));
    let lose = () => {};
    try {
      return await new Promise<T>((resolve, reject) => {
        lose = () => reject(new Error('The connection was lost.'));
        answer.then(resolve, reject);
        if (this.#client === client) client.once('end', lose);
        else lose();
      });
    } catch (error) {
      if (needsNewConnection(error)) this.drop(client);
      throw error;
    } finally {
      clearTimeout(timer);
      client.off('end', lose);
    }
  }
}

/** Closes the socket at once, so that nothing waits for a server that does not answer. */
function destroy(client: pg.Client): void {
  client.connection.stream.destroy();
}
