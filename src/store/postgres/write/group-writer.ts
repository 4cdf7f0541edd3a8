import type pg from 'pg';
import type { EntityKey, EntityText } from '../../../entity/stored/entity.js';
import type { AccountServices } from '../../account-services.js';
import type { CommitListeners } from '../../commit-listeners.js';
import type { ChangeOutcome } from '../../judge-changes.js';
import { isRejection, type Rejection } from '../../store.js';
import { StoreUnavailable } from '../../store-unavailable.js';
import { keyArray, textArray } from '../connection/array-parameters.js';
import type { Connection } from '../connection/connection.js';
import { explainFailure, isLockTimeout, isUndone, needsNewConnection, notDone } from '../connection/failures.js';
import { findLockedRows, readEntities } from '../schema/statements.js';
import { guessState, type KnownTables } from './guess-state.js';
import {
  type CommitRequest,
  entityKeyOf,
  type GroupJudgement,
  judgeGroup,
  type KnownEntity,
  type KnownState,
  stampOutcome,
  tableKeyOf,
} from './judge-group.js';
import { Conflict, type ReceiptWriter, writeMs } from './receipt-writer.js';
import { writeEntities } from './write-entities.js';

/** The outcome of a commit, and the id of its table; null if that was missing. */
export interface CommitResult {
  readonly outcome: readonly (EntityText | null)[] | Rejection;
  readonly id: string | null;
}

/** The result of a commit in a group: `blocked`, without effect, if another session holds a necessary lock. */
export type GroupResult = CommitResult | 'blocked';

/** The shared state of group writers. */
interface GroupWriterParts {
  readonly tables: KnownTables;
  readonly services: AccountServices;
  readonly listeners: CommitListeners;
  /** An upper bound of their stamps, even if the clock goes back. */
  readonly stamps: { last: bigint };
}

/** The time that a group waits for an unreachable database. Unit: milliseconds. */
const readyMs = 10_000;

/** The distance of two stamps: the resolution of the database's clock. Unit: 100 ns. */
const clockUnit = 10;

/** After this many conflicts, commits are written one by one. */
const groupedAttempts = 3;

/** Maximum pause before a retry. It doubles with each attempt until then. Unit: milliseconds. */
const pauseMsMax = 64;

/** Reads a group's rows, judges it, and writes it with one statement, which fails, and is retried, if a rival changed a row. */
export class GroupWriter {
  readonly #connection: Connection;
  readonly #writer: ReceiptWriter;
  readonly #tables: KnownTables;
  readonly #services: AccountServices;
  readonly #listeners: CommitListeners;
  readonly #stamps: GroupWriterParts['stamps'];
  /** The number of stamps so far. */
  #issued = 0;

  constructor(
    connection: Connection,
    writer: ReceiptWriter,
    { tables, services, listeners, stamps }: GroupWriterParts,
  ) {
    this.#connection = connection;
    this.#writer = writer;
    this.#tables = tables;
    this.#services = services;
    this.#listeners = listeners;
    this.#stamps = stamps;
  }

  /** Commits a group. Returns the results of all or only the first commits. Errors: StoreUnavailable. */
  async commit(commits: readonly CommitRequest[]): Promise<readonly GroupResult[]> {
    const endsAt = performance.now() + writeMs;
    const blocked = new Set<CommitRequest>();
    let size = commits.length;
    for (let attempt = 0; ; ) {
      const part = commits.slice(0, attempt > groupedAttempts ? 1 : size);
      const group = part.filter((commit) => !blocked.has(commit));
      if (group.length === 0) return part.map(() => 'blocked');
      const client = await this.#writer.ready(Math.min(endsAt, performance.now() + readyMs));
      const late = this.#writer.takeLateAnswer();
      if (late !== undefined) this.#remember(late);
      try {
        const { state, judgement } = await this.#judge(client, group, attempt === 0, endsAt);
        const base = judgement.writes.length === 0 ? 0n : await this.#write(client, state, judgement, endsAt);
        const outcomes = judgement.outcomes.map((outcome) =>
          isRejection(outcome) ? outcome : outcome.map((change) => stampOutcome(change, base)),
        );
        if (!this.#listeners.isEmpty) this.#notify(group, outcomes);
        const results = outcomes.map((outcome, at) => ({
          outcome: isRejection(outcome) ? outcome : outcome.map(({ value }) => value),
          id: state.ids.get(tableKeyOf(group[at] as CommitRequest)) ?? null,
        }));
        return withBlocked(part, blocked, results);
      } catch (error) {
        if (isBlocked(error)) {
          const found = group.length === 1 ? group : await this.findLocked(group);
          for (const commit of found) blocked.add(commit);
          // The lock cannot be seen, for example on an uncommitted row.
          if (found.length === 0) size = Math.ceil(part.length / 2);
          continue;
        }
        if (!(error instanceof Conflict)) throw error;
        if (performance.now() >= endsAt) throw notDone(error);
        // A random pause, so that the same rivals do not collide again.
        if (attempt++ > 1) await pause(attempt);
      }
    }
  }

  /** Returns the commits to rows that other sessions have visibly locked, without waiting. Errors: StoreUnavailable. */
  async findLocked(commits: readonly CommitRequest[]): Promise<readonly CommitRequest[]> {
    const endsAt = performance.now() + readyMs;
    const client = await this.#writer.ready(endsAt);
    const wanted = commits.flatMap((commit) => commit.changes.map(({ key }) => ({ commit, key })));
    try {
      // Rolled back, because a commit of locks would wait for the synchronous standby.
      await this.#connection.within(client, endsAt, client.query('BEGIN'));
      const { rows } = await this.#connection.run(client, findLockedRows, valuesOf(wanted), endsAt);
      await this.#connection.within(client, endsAt, client.query('ROLLBACK'));
      const locked = new Set((rows as { n: number }[]).map(({ n }) => wanted[n - 1]?.commit));
      return commits.filter((commit) => locked.has(commit));
    } catch (error) {
      this.#connection.drop(client);
      // A lock on a whole table.
      if (isLockTimeout(error)) return [];
      throw explainFailure(error);
    }
  }

  /** Returns the offset of a stamp in its group. The last digit varies, as in the service. */
  readonly #offsetOf = (stamp: number) => stamp * clockUnit + (((this.#issued + stamp) * 7) % clockUnit);

  #notify(group: readonly CommitRequest[], outcomes: readonly (readonly ChangeOutcome[] | Rejection)[]): void {
    for (const [at, outcome] of outcomes.entries()) {
      const { account, name, changes, writer } = group[at] as CommitRequest;
      if (isRejection(outcome)) continue;
      const table = this.#tables.get(tableKeyOf({ account, name }))?.name ?? name;
      this.#listeners.notify({ account, table, writer }, changes, outcome);
    }
  }

  /** Judges a group on a guess if that suffices, or else on a read. */
  async #judge(
    client: pg.Client,
    group: readonly CommitRequest[],
    mayGuess: boolean,
    endsAt: number,
  ): Promise<{ readonly state: KnownState; readonly judgement: GroupJudgement }> {
    const guess = mayGuess ? guessState(group, this.#tables, !this.#listeners.wantPrevious) : undefined;
    if (guess) {
      const judgement = judgeGroup(group, guess, this.#services, this.#offsetOf);
      // A rejection may rest on the guess, without a write to prove it.
      if (judgement.outcomes.length === group.length && !judgement.outcomes.some(isRejection))
        return { state: guess, judgement };
    }
    const state = await this.#read(client, group, endsAt);
    return { state, judgement: judgeGroup(group, state, this.#services, this.#offsetOf) };
  }

  /** Reads the rows of a group. Errors: Conflict if the connection was lost, StoreUnavailable. */
  async #read(client: pg.Client, group: readonly CommitRequest[], endsAt: number): Promise<KnownState> {
    const wanted = new Map<string, { commit: CommitRequest; key: EntityKey }>();
    for (const commit of group) {
      const table = tableKeyOf(commit);
      for (const { key } of commit.changes) wanted.set(entityKeyOf(table, key), { commit, key });
    }
    const list = [...wanted];
    const values = [...valuesOf([...wanted.values()]), textArray([])];
    const { rows } = await this.#connection.run(client, readEntities, values, endsAt).catch((error: unknown) => {
      throw needsNewConnection(error) || isUndone(error)
        ? new Conflict('the state was not read', { cause: error })
        : explainFailure(error);
    });
    const ids = new Map<string, string | null>();
    const entities = new Map<string, KnownEntity | null>();
    for (const { n, id, name, ts, body } of rows as EntityRow[]) {
      const [key, { commit }] = list[n - 1] as (typeof list)[0];
      const table = tableKeyOf(commit);
      if (!ids.has(table)) this.#tables.learn(table, id === null ? undefined : { id, name });
      ids.set(table, id);
      entities.set(key, ts === null ? null : { ts, body });
    }
    return { ids, entities };
  }

  /** Writes a judged group. Returns the base stamp of its offsets. Errors: Conflict, StoreUnavailable. */
  async #write(client: pg.Client, { ids }: KnownState, judgement: GroupJudgement, endsAt: number) {
    const { writes, stamps } = judgement;
    const span = stamps * clockUnit;
    let floor = this.#stamps.last;
    for (const { expect } of writes) if (expect !== '0' && BigInt(expect) > floor) floor = BigInt(expect);
    const lowest = (floor / BigInt(clockUnit) + 1n) * BigInt(clockUnit) + BigInt(span);
    // Stamps begin with the time of the clock, and the first offset is one unit.
    const shift = -clockUnit - span;
    const { statement, values } = writeEntities(judgement, ids, { lowest, shift, span });
    const answer = await this.#writer.write(client, statement, values, endsAt);
    this.#remember(answer);
    this.#issued += stamps;
    return BigInt(answer) + BigInt(shift);
  }

  /** Makes later stamps exceed those of a written group. `answer` is the answer to its write. */
  #remember(answer: string): void {
    const last = BigInt(answer);
    if (last > this.#stamps.last) this.#stamps.last = last;
  }
}

/** Returns entities as parameters: accounts, names, and both keys. */
function valuesOf(wanted: readonly { readonly commit: CommitRequest; readonly key: EntityKey }[]): unknown[] {
  return [
    textArray(wanted.map(({ commit }) => commit.account)),
    textArray(wanted.map(({ commit }) => commit.name)),
    keyArray(wanted.map(({ key }) => key.partitionKey)),
    keyArray(wanted.map(({ key }) => key.rowKey)),
  ];
}

/** Whether a group was rolled back because another session held a lock for too long. */
function isBlocked(error: unknown): boolean {
  return error instanceof StoreUnavailable && isLockTimeout(error.cause);
}

/** Returns the results of a group in order. `results` has none for blocked commits. */
function withBlocked(
  group: readonly CommitRequest[],
  blocked: ReadonlySet<CommitRequest>,
  results: readonly CommitResult[],
): readonly GroupResult[] {
  if (blocked.size === 0) return results;
  const all: GroupResult[] = [];
  let at = 0;
  for (const commit of group) {
    const result = blocked.has(commit) ? 'blocked' : results[at++];
    if (result === undefined) break;
    all.push(result);
  }
  return all;
}

interface EntityRow {
  readonly n: number;
  readonly id: string | null;
  readonly name: string;
  readonly ts: string | null;
  readonly body: string;
}

function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(pauseMsMax, 2 ** attempt)));
}
