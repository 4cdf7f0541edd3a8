import type { EntityKey, EntityText } from '../../../entity/stored/entity.js';
import type { AccessPolicy } from '../../../protocol/access/access-policy.js';
import { defaultServiceProperties, type ServiceProperties } from '../../../protocol/service-properties.js';
import type { Table } from '../../store.js';
import { StoreUnavailable } from '../../store-unavailable.js';
import { keyArray, textArray } from '../connection/array-parameters.js';
import { endOfTurn } from '../connection/end-of-turn.js';
import { createdOf, textOf } from '../schema/stamps.js';
import { readEntities, readTables } from '../schema/statements.js';
import type { Readers } from './readers.js';

/** A table name, in the form for comparisons. */
export interface TableName {
  readonly account: string;
  readonly name: string;
}

/** A table in the database. */
export interface TableRow extends Table {
  readonly id: string;
  readonly policies: readonly AccessPolicy[];
}

/** The result of a read: the id of the table, null if that is missing, and the entity. */
interface EntityResult {
  readonly id: string | null;
  readonly text: EntityText | undefined;
}

/** A lookup of an account's settings, or of an entity. */
interface Question {
  readonly account: string;
  readonly entity: { readonly name: string; readonly key: EntityKey } | undefined;
}

/** The answer to a question. It has one of the two. */
interface Answer {
  readonly settings: ServiceProperties;
  readonly entity: EntityResult;
}

/** Reads by key, in batches, without a cache, so that no result is stale. */
export class LookUps {
  readonly #readers: Readers;
  /** Every request needs the settings of its account, and most need an entity: one statement reads both. */
  readonly #rows: Gatherer<Question, Answer>;
  readonly #tables: Gatherer<TableName, TableRow | undefined>;
  readonly #onEnded: (account: string) => void;

  /** `onEnded` is called with the account of an ended branch, before its settings are returned. */
  constructor(readers: Readers, onEnded: (account: string) => void) {
    this.#readers = readers;
    this.#onEnded = onEnded;
    this.#rows = new Gatherer(readers.size, (questions) => this.#readRows(questions));
    this.#tables = new Gatherer(readers.size, (questions) => this.#readTables(questions));
  }

  async readEntity({ account, name }: TableName, key: EntityKey): Promise<EntityResult> {
    return (await this.#rows.ask({ account, entity: { name, key } })).entity;
  }

  /** Reads a table; undefined if it is missing. */
  readTable(table: TableName): Promise<TableRow | undefined> {
    return this.#tables.ask(table);
  }

  async readSettings(account: string): Promise<ServiceProperties> {
    return (await this.#rows.ask({ account, entity: undefined })).settings;
  }

  async #readRows(questions: readonly Question[]): Promise<readonly Answer[]> {
    const accounts = new Set<string>();
    const wanted: { readonly account: string; readonly name: string; readonly key: EntityKey }[] = [];
    for (const { account, entity } of questions) {
      if (entity) wanted.push({ account, ...entity });
      else accounts.add(account);
    }
    const { rows } = await this.#readers.run(readEntities, [
      textArray(wanted.map(({ account }) => account)),
      textArray(wanted.map(({ name }) => name)),
      keyArray(wanted.map(({ key }) => key.partitionKey)),
      keyArray(wanted.map(({ key }) => key.rowKey)),
      textArray([...accounts]),
    ]);
    const members = new Map<string, string[]>();
    const found: EntityResult[] = [];
    for (const { n, id, name, ts, body } of rows) {
      if (n > 0) found[n - 1] = { id, text: ts === null ? undefined : textOf(body, ts) };
      else if (body === null) this.#onEnded(name);
      else members.set(name, [...(members.get(name) ?? []), body]);
    }
    const settings = new Map<string, ServiceProperties>();
    for (const account of accounts) {
      const own = JSON.parse(`{${(members.get(account) ?? []).join(',')}}`) as Partial<ServiceProperties>;
      settings.set(account, { ...defaultServiceProperties, ...own });
    }
    let at = 0;
    return questions.map(({ account, entity }) => ({
      settings: settings.get(account) as ServiceProperties,
      entity: (entity ? found[at++] : undefined) as EntityResult,
    }));
  }

  async #readTables(questions: readonly TableName[]): Promise<readonly (TableRow | undefined)[]> {
    const values = [textArray(questions.map(({ account }) => account)), textArray(questions.map(({ name }) => name))];
    const { rows } = await this.#readers.run(readTables, values);
    const found: (TableRow | undefined)[] = [];
    for (const { n, id, name, created, policies } of rows) {
      found[n - 1] =
        id === null ? undefined : { id, name, created: createdOf(created), policies: JSON.parse(policies) };
    }
    return found;
  }
}

/** Further questions are rejected while this many wait. */
const waitingMax = 5000;

/** The maximum number of questions in one statement. */
const groupMax = 500;

interface Waiting<Question, Found> {
  readonly question: Question;
  readonly settle: (found: Found) => void;
  readonly fail: (error: unknown) => void;
}

/** Batches questions: those that arrive during a statement form the next one, which serves twice as many reads with half the work. */
class Gatherer<Question, Found> {
  readonly #ask: (questions: readonly Question[]) => Promise<readonly Found[]>;
  readonly #lanes: number;
  #waiting: Waiting<Question, Found>[] = [];
  #running = 0;

  /** `ask` answers several questions, in order. At most `lanes` calls of it run concurrently. */
  constructor(lanes: number, ask: (questions: readonly Question[]) => Promise<readonly Found[]>) {
    this.#lanes = lanes;
    this.#ask = ask;
  }

  /** Returns the answer to one question. Errors: StoreUnavailable when too many wait; those of `ask`. */
  ask(question: Question): Promise<Found> {
    if (this.#waiting.length >= waitingMax) {
      return Promise.reject(new StoreUnavailable('not-done', 'Too many reads wait for the database.'));
    }
    return new Promise((settle, fail) => {
      this.#waiting.push({ question, settle, fail });
      if (this.#running < this.#lanes) {
        this.#running++;
        void this.#run();
      }
    });
  }

  async #run(): Promise<void> {
    for (;;) {
      await endOfTurn();
      if (this.#waiting.length === 0) break;
      const group = this.#waiting.splice(0, groupMax);
      try {
        const found = await this.#ask(group.map(({ question }) => question));
        for (const [at, { settle }] of group.entries()) settle(found[at] as Found);
      } catch (error) {
        for (const { fail } of group) fail(error);
      }
    }
    this.#running--;
  }
}
