import { setTimeout as pause } from 'node:timers/promises';
import { afterNow } from '../after-now.js';
import type { Counted, SharedRule, SharedRuleChange, SharedRules } from '../shared-rules.js';
import { StoreUnavailable } from '../store-unavailable.js';
import { Connection, type ConnectionCounts } from './connection/connection.js';
import type { DatabaseConfig } from './connection/database-address.js';
import { notDone } from './connection/failures.js';
import { Gatherer } from './read/gatherer.js';
import { type Readers, readMs } from './read/readers.js';
import { RuleFollower } from './rule-follower.js';
import {
  addRules,
  countOlder,
  countRules,
  holdRules,
  nextVersion,
  readRules,
  removeRules,
  tellChange,
} from './rule-statements.js';
import type { DirectoryWriter } from './write/directory-writer.js';
import type { RunStatement, Transactions } from './write/transactions.js';

/**
 * How long the rules are looked for before a request. Unit: milliseconds. A request may wait for the look before its own, and
 * both together take no longer than any other read.
 */
const lookMs = readMs / 2;

/** How long a change waits for servers that do not apply it yet. Unit: milliseconds. */
const spreadMs = 5000;

/** Longest pause between two looks at these servers. Unit: milliseconds. */
const pauseMsMax = 100;

/** What the rules need of their store. */
export interface PostgresRulesParts {
  readonly config: DatabaseConfig;
  readonly counts: ConnectionCounts;
  readonly readers: Readers;
  readonly directory: DirectoryWriter;
  readonly transactions: Transactions;
}

/** A rule as the database has it. Numbers beyond 32 bits come as text. */
interface RuleRow {
  readonly number: string | null;
  readonly rule: string;
  readonly matched: string;
  readonly hits: string;
  readonly ends_at: number;
  readonly remaining_ms: number;
  readonly ended: boolean;
}

/** A request that is to be counted. */
interface CountedRequest {
  readonly number: number;
  readonly what: Counted;
}

/** Keeps fault rules in the database, with their counts. A server that uses them has a connection on which it hears of changes. */
export class PostgresRules implements SharedRules {
  readonly #parts: PostgresRulesParts;
  readonly #follower: RuleFollower;
  readonly #counting: Gatherer<CountedRequest, number | undefined>;
  readonly catchUp: () => Promise<void>;
  #rules: readonly SharedRule[] = [];
  #version: number | undefined;
  #listener = () => {};

  constructor(parts: PostgresRulesParts) {
    this.#parts = parts;
    // One at a time, so that the rules never go back.
    this.catchUp = afterNow(() => this.#apply());
    this.#counting = new Gatherer(1, (requests) => this.#countAll(requests));
    this.#follower = new RuleFollower(new Connection(parts.config, parts.counts), {
      catchUp: this.catchUp,
      version: () => this.#version ?? 0,
      onChange: () => this.#listener(),
    });
  }

  get rules(): readonly SharedRule[] {
    return this.#rules;
  }

  get isBehind(): boolean {
    return !this.#follower.isFollowing;
  }

  follow(listener: () => void): void {
    this.#listener = listener;
    this.#follower.start();
  }

  /** Ends to follow the rules, for good. */
  stop(): Promise<void> {
    return this.#follower.stop();
  }

  async list(): Promise<readonly SharedRule[]> {
    return (await this.#read()).rules;
  }

  async change(
    decide: (present: readonly SharedRule[]) => SharedRuleChange | undefined,
  ): Promise<readonly SharedRule[]> {
    const make = async (run: RunStatement) => {
      const [row] = await run<{ readonly version: number }>(nextVersion, []);
      const change = decide((await run<RuleRow>(holdRules, [])).map(ruleOf));
      const added = change ? await makeChange(run, change) : [];
      return { version: row?.version ?? 0, added };
    };
    const { version, added } = await this.#parts.transactions.run({ sees: 'present', make });
    // The change is made, also if the database goes away now.
    await this.#spread(version).catch(() => {});
    return added;
  }

  async count(number: number, what: Counted): Promise<number | undefined> {
    try {
      return await this.#counting.ask({ number, what });
    } catch (error) {
      // The request did nothing, even if it is not known whether it was counted.
      throw error instanceof StoreUnavailable ? notDone(error) : error;
    }
  }

  /** Applies the rules here, and waits until the other servers apply this version. */
  async #spread(version: number): Promise<void> {
    const endsAt = performance.now() + spreadMs;
    await this.catchUp();
    for (let attempt = 0; performance.now() < endsAt; attempt++) {
      const { rows } = await this.#parts.readers.run(countOlder, [version]);
      if (rows[0].older === 0) return;
      await pause(Math.min(pauseMsMax, 2 ** attempt));
    }
  }

  async #apply(): Promise<void> {
    const { version, rules } = await this.#read(lookMs);
    if (version === this.#version) return;
    this.#version = version;
    this.#rules = rules;
    this.#listener();
  }

  async #read(forMs?: number): Promise<{ readonly version: number; readonly rules: readonly SharedRule[] }> {
    const { rows } = await this.#parts.readers.run(readRules, [], forMs);
    const { version } = rows[0] as { readonly version: number };
    return { version, rules: (rows as RuleRow[]).filter(({ number }) => number !== null).map(ruleOf) };
  }

  async #countAll(requests: readonly CountedRequest[]): Promise<readonly (number | undefined)[]> {
    const asked = new Map(requests.map(({ number }) => [number, { match: 0, hit: 0 }]));
    for (const { number, what } of requests) (asked.get(number) as Record<Counted, number>)[what]++;
    const counts = [...asked.values()];
    const values = [[...asked.keys()], counts.map(({ match }) => match), counts.map(({ hit }) => hit)];
    const found = new Map(
      (await this.#parts.directory.write(countRules, values)).map((text) => {
        const [number = 0, match = 0, hit = 0, granted = 0] = text.split(' ').map(Number);
        return [number, { match, hit, end: hit + granted }];
      }),
    );
    return requests.map(({ number, what }) => {
      const rule = found.get(number);
      if (!rule || (what === 'hit' && rule.hit === rule.end)) return undefined;
      return rule[what]++;
    });
  }
}

/** Removes and adds rules in a transaction, and tells all servers. */
async function makeChange(run: RunStatement, { removed, added }: SharedRuleChange): Promise<readonly SharedRule[]> {
  await run(removeRules, [removed]);
  const columns = [added.map(({ text }) => text), added.map(({ times }) => times), added.map(({ lastsMs }) => lastsMs)];
  const rows = await run<RuleRow>(addRules, columns);
  await run(tellChange, []);
  return rows.map(ruleOf);
}

function ruleOf(row: RuleRow): SharedRule {
  return {
    number: Number(row.number),
    text: row.rule,
    matched: Number(row.matched),
    hits: Number(row.hits),
    endsAt: row.ends_at,
    remainingMs: row.remaining_ms,
    ended: row.ended,
  };
}
