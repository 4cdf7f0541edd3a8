import pg, { type QueryResult } from 'pg';
import type { Statement } from '../schema/statements.js';
import { connectMs, type DatabaseConfig } from './database-address.js';
import {
  hasTooFewConnections,
  isDiskFull,
  isUntrusted,
  needsNewConnection,
  notDone,
  unreplicatedRoutine,
} from './failures.js';
import { prepareSession } from './session.js';

/** Maximum pause between two attempts to connect. Unit: milliseconds. */
const pauseMsMax = 250;

const askState = 'SELECT pg_is_in_recovery() AS standby, extract(epoch FROM clock_timestamp()) * 1000 AS now';

/** The shared state of a store's connections. */
export interface ConnectionCounts {
  /** For the metrics. */
  opened: number;
  lost: number;
  /** The number of times that a session lost the primary. Sessions opened before the last time are dropped. */
  doubts: number;
  /** Connections whose last attempt failed because there were too few sessions. */
  readonly waiting: Set<Connection>;
  /** Whether a statement has failed on a full disk of the database. */
  isDiskFull: boolean;
  /** The lead of the database's clock over this process's, as of the last opening. Unit: milliseconds. */
  clockAheadMs: number;
}

/** Returns the initial state of connections. */
export function newConnectionCounts(): ConnectionCounts {
  return { opened: 0, lost: 0, doubts: 0, waiting: new Set(), isDiskFull: false, clockAheadMs: 0 };
}

interface Session {
  readonly client: pg.Client;
  readonly isStandby: boolean;
  /** The number of doubts at its opening. */
  readonly doubts: number;
}

/**
 * One connection to the database, opened on demand and reopened after a loss. It never retries a statement.
 *
 * It prefers a session of the primary, and falls back to a standby, which may be behind.
 */
export class Connection {
  readonly #config: DatabaseConfig;
  readonly #counts: ConnectionCounts;
  /** The hosts of the database, last primary first. */
  #hosts: DatabaseConfig['hosts'];
  #session: Session | undefined;
  #opening: Promise<pg.Client> | undefined;
  #isEnded = false;
  /** Whether the statement in progress was committed without the standby, because the wait for it was canceled. */
  #isUnreplicated = false;

  constructor(config: DatabaseConfig, counts: ConnectionCounts = newConnectionCounts()) {
    this.#config = config;
    this.#counts = counts;
    this.#hosts = config.hosts;
  }

  /**
   * Returns the open client. Tries until `endsAt`, in milliseconds of `performance.now()`.
   *
   * Errors: StoreUnavailable, immediately if the certificate is not trusted; StoreError for a session with wrong settings; the database's
   * own error if a retry is useless, for example after a wrong password.
   */
  async open(endsAt: number): Promise<pg.Client> {
    for (let attempt = 0; ; attempt++) {
      if (this.#session && this.#session.doubts < this.#counts.doubts) this.drop(this.#session.client);
      if (this.#session?.isStandby === false) return this.#session.client;
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

  /** Runs a statement. Closes the connection without an answer by `endsAt`. Errors: the client's; see `isOpen` for the outcome. */
  async run(client: pg.Client, statement: Statement, values: unknown[], endsAt: number): Promise<QueryResult> {
    this.#isUnreplicated = false;
    return this.within(client, endsAt, client.query({ ...statement, values }));
  }

  /** Whether the last statement was committed, but not on the synchronous standby. */
  get isUnreplicated(): boolean {
    return this.#isUnreplicated;
  }

  /** Makes each connection of the store drop its session before its next use, because this server is not the primary. */
  doubt(): void {
    this.#counts.doubts++;
  }

  /** Closes the connection immediately; the next call of `open` reconnects. */
  drop(client: pg.Client): void {
    if (this.#isOpen(client)) this.#session = undefined;
    destroy(client);
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    this.#counts.waiting.delete(this);
    await this.#opening?.catch(() => {});
    const client = this.#session?.client;
    this.#session = undefined;
    await client?.end().catch(() => {});
  }

  #isOpen(client: pg.Client): boolean {
    return this.#session?.client === client;
  }

  /** Opens a session of the primary, or else of a standby unless one is open. Errors: that of the last host. */
  async #connect(): Promise<pg.Client> {
    let failure: unknown;
    for (const host of this.#hosts) {
      try {
        const session = await this.#openSession(host);
        if (session.isStandby && (this.#session || this.#config.isPrimaryOnly)) {
          failure = new Error('it is a standby');
          destroy(session.client);
          continue;
        }
        if (this.#session) this.drop(this.#session.client);
        this.#session = session;
        this.#counts.opened++;
        if (session.isStandby) continue;
        this.#hosts = [host, ...this.#hosts.filter((other) => other !== host)];
        return session.client;
      } catch (error) {
        failure = error;
      }
    }
    if (this.#session) return this.#session.client;
    throw failure;
  }

  async #openSession(host: DatabaseConfig['hosts'][number]): Promise<Session> {
    const { doubts } = this.#counts;
    const client = new pg.Client({ ...this.#config, ...host });
    const lose = () => {
      if (!this.#isOpen(client)) return;
      this.#session = undefined;
      if (!this.#isEnded) this.#counts.lost++;
    };
    // Unhandled, the error of a lost idle connection would end the process.
    client.on('error', lose);
    client.on('end', lose);
    // Each statement in progress listens, too.
    client.setMaxListeners(0);
    client.on('notice', ({ routine }) => {
      if (routine === unreplicatedRoutine) this.#isUnreplicated = true;
    });
    client.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName === 'in_hot_standby' && parameterValue === 'on' && this.#isOpen(client)) this.doubt();
    });
    // A pooler answers before it has a session of the database.
    let timer: NodeJS.Timeout | undefined;
    let isStarved = false;
    try {
      await client.connect();
      timer = setTimeout(() => {
        isStarved = true;
        destroy(client);
      }, connectMs);
      await prepareSession(client, this.#config.address, this.#config.lockTimeout);
      const { rows } = await client.query(askState);
      this.#counts.clockAheadMs = Number(rows[0].now) - Date.now();
      this.#counts.waiting.delete(this);
      return { client, isStandby: rows[0].standby === true, doubts };
    } catch (error) {
      destroy(client);
      if (isStarved || hasTooFewConnections(error)) this.#counts.waiting.add(this);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Waits for an answer, and closes the connection without one by `endsAt`. Fails if the connection is lost, because a cursor then may
   * never answer.
   */
  async within<T>(client: pg.Client, endsAt: number, answer: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.drop(client), Math.max(1, endsAt - performance.now()));
    let lose = () => {};
    try {
      return await new Promise<T>((resolve, reject) => {
        lose = () => reject(new Error('The connection was lost.'));
        answer.then(resolve, reject);
        if (this.#isOpen(client)) client.once('end', lose);
        else lose();
      });
    } catch (error) {
      if (isDiskFull(error)) this.#counts.isDiskFull = true;
      if (needsNewConnection(error)) this.drop(client);
      throw error;
    } finally {
      clearTimeout(timer);
      client.off('end', lose);
    }
  }
}

/** Closes the socket immediately, so that nothing waits for an unresponsive server. */
function destroy(client: pg.Client): void {
  client.connection.stream.destroy();
}
