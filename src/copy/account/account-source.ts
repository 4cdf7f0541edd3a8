import { readPoliciesDocument } from '../../formats/xml/read-documents.js';
import {
  CopyFault,
  type Page,
  type Position,
  type Range,
  type ReadWish,
  type Source,
  type SourceTable,
} from '../ends/end.js';
import { cutRows } from '../rows/cut-rows.js';
import type { Row } from '../rows/row.js';
import { type Connection, ServiceRejection } from './connection.js';
import { middleKey, rangeFilters } from './key-range.js';
import type { Answer } from './retry.js';

/** The properties of an account that a copy has to know. */
export interface AccountTraits {
  readonly isCosmos: boolean;
  /** The only table, if the address names one. */
  readonly table?: string | undefined;
}

/** Reads the tables of an account. */
export class AccountSource implements Source {
  readonly isOfFiles = false;
  readonly split: Source['split'];
  protected readonly connection: Connection;
  readonly #isCosmos: boolean;
  readonly #only: string | undefined;

  constructor(connection: Connection, { isCosmos, table }: AccountTraits) {
    this.connection = connection;
    this.#isCosmos = isCosmos;
    this.#only = table;
    // Cosmos DB lists entities in an order of its own.
    if (!isCosmos)
      this.split = (table, after, before) =>
        middleKey(after, before, async (filter) => {
          const parameters = ['$top=1', '$select=PartitionKey,RowKey', filterParameter(filter)];
          return (await this.#readPage(table, parameters)).rows[0];
        });
  }

  async tables(): Promise<readonly SourceTable[]> {
    if (this.#only !== undefined) {
      // A missing table is an error before the target gets one.
      await this.pages(this.#only, {}, {}, 1).next();
      return [await this.#describe(this.#only)];
    }
    const names: string[] = [];
    let query = '';
    do {
      const answer = await this.connection.send({ method: 'GET', path: '/Tables', query, check: JSON.parse });
      if (answer.status !== 200)
        throw new ServiceRejection(`The tables of ${this.connection.name} cannot be listed`, answer);
      const found = tableNamesOf(answer.text);
      if (!found) throw new CopyFault(`${this.connection.name} is not a Table service.`);
      names.push(...found);
      query = parameter('NextTableName', answer.headers['x-ms-continuation-nexttablename']);
    } while (query !== '');
    return Promise.all(names.map((name) => this.#describe(name)));
  }

  /** `top` ends it after the first page, of at most so many rows. */
  async *pages(table: string, range: Range, { filter, select }: ReadWish, top?: number): AsyncGenerator<Page> {
    const { after, from, before } = range;
    const key = after && 'partitionKey' in after ? after : undefined;
    const token = after && 'token' in after ? after.token : undefined;
    // An empty token is that of the end.
    if (token === '') return;
    const low = key ? { key, isIncluded: false } : from && { key: from, isIncluded: true };
    const columns = select && [...new Set(['PartitionKey', 'RowKey', ...select])].join();
    for (const part of rangeFilters(low, before)) {
      let next = token ?? '';
      do {
        const { rows, answer } = await this.#readPage(table, [
          filterParameter(part, filter),
          columns === undefined ? '' : `$select=${encodeURIComponent(columns)}`,
          top === undefined ? '' : `$top=${top}`,
          next,
        ]);
        next = tokenOf(answer);
        const last = rows.at(-1);
        if (last || this.#isCosmos) yield { rows, position: this.#positionAfter(last, next) };
      } while (next !== '' && top === undefined);
    }
  }

  settings(): Promise<string> {
    const sent = { path: '/', query: 'restype=service', comp: 'properties' };
    return this.connection.sendXml(sent, `The settings of ${this.connection.name} cannot be read`);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  async #readPage(table: string, parameters: readonly string[]): Promise<{ rows: readonly Row[]; answer: Answer }> {
    let rows: readonly Row[] = [];
    const answer = await this.connection.send({
      method: 'GET',
      path: `/${table}()`,
      query: parameters.filter((one) => one !== '').join('&'),
      check(text) {
        rows = cutRows(text);
      },
    });
    if (answer.status !== 200) throw new ServiceRejection(`${table} of ${this.connection.name} cannot be read`, answer);
    return { rows, answer };
  }

  /** Returns the place after a page. A filter cannot name a key with half of a surrogate pair. */
  #positionAfter(last: Row | undefined, token: string): Position | undefined {
    if (this.#isCosmos || !last) return { token };
    const { partitionKey, rowKey } = last;
    return partitionKey.isWellFormed() && rowKey.isWellFormed() ? { partitionKey, rowKey } : undefined;
  }

  /** Returns a table with its policies, which Cosmos DB does not have, and which a signature may not read. */
  async #describe(name: string): Promise<SourceTable> {
    if (this.#isCosmos) return { name, policies: [] };
    try {
      const xml = await this.connection.sendXml({ path: `/${name}`, comp: 'acl' }, `Policies of ${name}`);
      return { name, policies: await readPoliciesDocument(xml) };
    } catch (error) {
      if (error instanceof ServiceRejection) return { name };
      throw error;
    }
  }
}

/** Returns the names of tables in a list; undefined if the answer is something else. */
function tableNamesOf(text: string): string[] | undefined {
  const { value } = (JSON.parse(text) ?? {}) as { value?: unknown };
  if (!Array.isArray(value)) return undefined;
  const names = value.map((table) => table?.TableName);
  return names.every((name) => typeof name === 'string') ? names : undefined;
}

function filterParameter(...parts: readonly (string | undefined)[]): string {
  const [one, other] = parts.filter((part) => part !== undefined && part !== '');
  if (one === undefined) return '';
  return `$filter=${encodeURIComponent(other === undefined ? one : `${one} and (${other})`)}`;
}

function tokenOf({ headers }: Answer): string {
  const parts = [
    parameter('NextPartitionKey', headers['x-ms-continuation-nextpartitionkey']),
    parameter('NextRowKey', headers['x-ms-continuation-nextrowkey']),
  ];
  return parts.filter((part) => part !== '').join('&');
}

function parameter(name: string, value: string | string[] | undefined): string {
  return typeof value === 'string' ? `${name}=${encodeURIComponent(value)}` : '';
}
