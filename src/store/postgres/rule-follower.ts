import type pg from 'pg';
import type { Connection } from './connection/connection.js';
import { listenToChanges, ruleChannel, showVersion } from './rule-statements.js';
import { askHealth, type Statement } from './schema/statements.js';

/**
 * How often the rules are read if nothing is heard, because a message or a whole connection may be lost without notice.
 * Unit: milliseconds. Ours.
 */
const lookMs = 5000;

/** How long a statement may take. Unit: milliseconds. */
const statementMs = 5000;

/** Pause before a connection is tried again. Unit: milliseconds. */
const pauseMs = 500;

/** What a follower needs of its rules. */
export interface FollowerParts {
  /** Reads the rules and applies them. */
  readonly catchUp: () => Promise<void>;
  /** Returns the version that is applied. */
  readonly version: () => number;
  /** Is called when `isFollowing` changes. */
  readonly onChange: () => void;
}

/**
 * Hears of changes of the rules on a connection of its own. While it follows, it holds a lock with the version that is
 * applied, so that other servers can see it. A connection that is lost takes the lock with it.
 */
export class RuleFollower {
  readonly #connection: Connection;
  readonly #parts: FollowerParts;
  #running: Promise<void> | undefined;
  #isFollowing = false;
  #isStopped = false;
  #isHeard = false;
  #wake = () => {};

  constructor(connection: Connection, parts: FollowerParts) {
    this.#connection = connection;
    this.#parts = parts;
  }

  /** Whether changes are heard. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Begins to follow, and goes on until `stop`. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Closes the connection for good. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    await this.#connection.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      let client: pg.Client | undefined;
      try {
        client = await this.#connection.open(performance.now() + statementMs);
        await this.#follow(client);
      } catch {
        // A database that cannot be used is found out by each request, which then reads the rules itself.
      }
      this.#note(false);
      // Its lock would show an old version as long as it is open.
      if (client && !this.#isStopped) this.#connection.drop(client);
      await this.#pause(pauseMs);
    }
  }

  /** Follows until the connection is lost. */
  async #follow(client: pg.Client): Promise<void> {
    const run = (statement: Statement, values: unknown[] = []) =>
      this.#connection.run(client, statement, values, performance.now() + statementMs);
    client.on('notification', ({ channel }) => {
      if (channel !== ruleChannel) return;
      this.#isHeard = true;
      this.#wake();
    });
    client.on('end', () => {
      this.#note(false);
      this.#wake();
    });
    await run(listenToChanges);
    let shown: number | null = null;
    while (!this.#isStopped) {
      this.#isHeard = false;
      await this.#parts.catchUp();
      const version = this.#parts.version();
      await (version === shown ? run(askHealth) : run(showVersion, [version, shown]));
      shown = version;
      // A change that was heard may have been answered before the lock was there: then nothing waited for this server.
      if (this.#isHeard) continue;
      this.#note(true);
      await this.#pause(lookMs);
    }
  }

  #note(isFollowing: boolean): void {
    if (this.#isFollowing === isFollowing) return;
    this.#isFollowing = isFollowing;
    this.#parts.onChange();
  }

  /** Waits for a time, or until it is woken. */
  async #pause(ms: number): Promise<void> {
    if (this.#isStopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
