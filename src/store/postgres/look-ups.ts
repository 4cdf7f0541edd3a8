import type { EntityKey, EntityText } from '../../entity/entity.js';
import type { AccessPolicy } from '../../protocol/access-policy.js';
import { defaultServiceProperties, type ServiceProperties } from '../../protocol/service-properties.js';
import type { Table } from '../store.js';
import { Gatherer } from './gatherer.js';
import { encodeKey } from './keys.js';
import type { Readers } from './readers.js';
import { createdOf, textOf } from './stamps.js';
import { readEntities, readSettings, readTables } from './statements.js';

/** A name within an account; the name in the form in which tables are compared. */
export interface TableName {
  readonly account: string;
  readonly name: string;
}

/** A table as the database has it. */
export interface FoundTable extends Table {
  readonly id: string;
  readonly policies: readonly AccessPolicy[];
}

/** The answer to a read of an entity: the id of its table, null if that is missing. */
export interface FoundEntity {
  readonly id: string | null;
  readonly text: EntityText | undefined;
}

/** Reads by key. Each kind of question is gathered; nothing is cached, so nothing can be stale. */
export class LookUps {
  readonly #entities: Gatherer<TableName & { readonly key: EntityKey }, FoundEntity>;
  readonly #tables: Gatherer<TableName, FoundTable | undefined>;
  readonly #settings: Gatherer<string, ServiceProperties>;

  constructor(readers: Readers) {
    this.#entities = new Gatherer(readers.size, async (questions) => {
      const { rows } = await readers.run(readEntities, [
        questions.map(({ account }) => account),
        questions.map(({ name }) => name),
        questions.map(({ key }) => encodeKey(key.partitionKey)),
        questions.map(({ key }) => encodeKey(key.rowKey)),
      ]);
      const found: FoundEntity[] = [];
      for (const { n, id, ts, body } of rows) found[n - 1] = { id, text: ts === null ? undefined : textOf(body, ts) };
      return found;
    });
    this.#tables = new Gatherer(readers.size, async (questions) => {
      const values = [questions.map(({ account }) => account), questions.map(({ name }) => name)];
      const { rows } = await readers.run(readTables, values);
      const found: (FoundTable | undefined)[] = [];
      for (const { n, id, name, created, policies } of rows) {
        found[n - 1] =
          id === null ? undefined : { id, name, created: createdOf(created), policies: JSON.parse(policies) };
      }
      return found;
    });
    this.#settings = new Gatherer(readers.size, async (accounts) => {
      const { rows } = await readers.run(readSettings, [[...new Set(accounts)]]);
      return accounts.map((account) => {
        const own = rows.filter((row) => row.account === account).map(({ name, value }) => [name, JSON.parse(value)]);
        return { ...defaultServiceProperties, ...Object.fromEntries(own) };
      });
    });
  }

  /** Reads an entity and the id of its table. */
  readEntity(table: TableName, key: EntityKey): Promise<FoundEntity> {
    return this.#entities.ask({ ...table, key });
  }

  /** Reads a table; undefined if it is missing. */
  readTable(table: TableName): Promise<FoundTable | undefined> {
    return this.#tables.ask(table);
  }

  /** Reads the settings of an account. */
  readSettings(account: string): Promise<ServiceProperties> {
    return this.#settings.ask(account);
  }
}
