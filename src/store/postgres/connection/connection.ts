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

/** Longest pause between two attempts to connect. Unit: milliseconds. */
const pauseMsMax = 250;

const askState = 'SELECT pg_is_in_recovery() AS standby, extract(epoch FROM clock_timestamp()) * 1000 AS now';

/** Facts that the connections of a store share. */
export interface ConnectionCounts {
  /** For the metrics. */
  opened: number;
  lost: number;
  /** How often sessions turned out to be no longer those of the primary. Sessions opened before the last time are dropped. */
  doubts: number;
  /** Connections that got no session at their last try, because there are too few. */
  readonly waiting: Set<Connection>;
  /** Whether a statement has failed because the disk of the database is full. */
  isDiskFull: boolean;
  /** How far the database's clock was ahead of this process's at the last opening. Unit: milliseconds. */
  clockAheadMs: number;
}

/** Returns what connections know that were never opened. */
export function newConnectionCounts(): ConnectionCounts {
  return { opened: 0, lost: 0, doubts: 0, waiting: new Set(), isDiskFull: false, clockAheadMs: 0 };
}

interface Session {
  readonly client: pg.Client;
  /** Whether its server is a standby. */
  readonly isStandby: boolean;
  /** The number of doubts when it was opened. */
  readonly doubts: number;
}

/**
 * One connection to the database, opened when it is needed and again after it was lost. It never sends anything twice.
 *
 * It keeps a session of the primary. One of a standby may be behind, so it is used only after no other was to be had.
 */
export class Connection {
  readonly #config: DatabaseConfig;
  readonly #counts: ConnectionCounts;
  /** Where servers of the database may be; first the one that was the primary last. */
  #hosts: DatabaseConfig['hosts'];
  #session: Session | undefined;
  #opening: Promise<pg.Client> | undefined;
  #isEnded = false;
  /** Whether the statement in progress was committed here alone, because its wait for the standby was canceled. */
  #isUnreplicated = false;

  constructor(config: DatabaseConfig, counts: ConnectionCounts = newConnectionCounts()) {
    this.#config = config;
    this.#counts = counts;
    this.#hosts = config.hosts;
  }

  /**
   * Returns the open client. Tries until `endsAt`, in milliseconds of `performance.now()`.
   *
   * Errors: StoreUnavailable, at once if the certificate is not trusted; StoreError for a session whose settings cannot be
   * relied on; the database's own error if a retry is of no use, such as a wrong password.
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

  /** Makes each connection of the store drop its session before its next use: this one's server is not the primary. */
  doubt(): void {
    this.#counts.doubts++;
  }

  /** Closes the connection at once; the next call of `open` makes a new one. */
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

  /** Opens a session of the primary, or else of a standby, unless there is one. Errors: that of the last host. */
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
    // An idle client that loses its connection emits an error, which would end the process.
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

/** Closes the socket at once, so that nothing waits for a server that does not answer. */
function destroy(client: pg.Client): void {
  client.connection.stream.destroy();
}
