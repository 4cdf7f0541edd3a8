import type { EntityKey } from '../../entity/stored/entity.js';
import { readPoliciesDocument } from '../../formats/xml/read-documents.js';
import type { AccessPolicy } from '../../protocol/access/access-policy.js';
import type { Page, Position, Range, ReadWish, Source, SourceTable } from '../ends/end.js';
import { cutRows } from '../rows/cut-rows.js';
import type { Row } from '../rows/row.js';
import { type Connection, ServiceRejection } from './connection.js';
import { findMiddle, literal, rangeFilters } from './key-range.js';
import type { Answer } from './retry.js';

/** The properties of an account that a copy has to know. */
export interface AccountTraits {
  readonly isCosmos: boolean;
  /** The only table, if the address names one. */
  readonly table?: string | undefined;
}

/** Reads the tables of an account. */
export class AccountSource implements Source {
  readonly name: string;
  readonly splits: boolean;
  readonly repeats = false;
  readonly selects = true;
  readonly #connection: Connection;
  readonly #isCosmos: boolean;
  readonly #only: string | undefined;

  constructor(connection: Connection, { isCosmos, table }: AccountTraits) {
    this.#connection = connection;
    this.#isCosmos = isCosmos;
    this.#only = table;
    // Cosmos DB lists entities in an order of its own.
    this.splits = !isCosmos;
    this.name = connection.name;
  }

  async tables(): Promise<readonly SourceTable[]> {
    if (this.#only !== undefined) return [await this.#describe(this.#only)];
    const names: string[] = [];
    let query = '';
    do {
      const answer = await this.#connection.send({ method: 'GET', path: '/Tables', query, check: JSON.parse });
      if (answer.status !== 200) throw new ServiceRejection(`The tables of ${this.name} cannot be listed`, answer);
      const { value } = JSON.parse(answer.text) as { value: { TableName: string }[] };
      names.push(...value.map(({ TableName }) => TableName));
      query = parameter('NextTableName', answer.headers['x-ms-continuation-nexttablename']);
    } while (query !== '');
    return Promise.all(names.map((name) => this.#describe(name)));
  }

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
        const units = answer.text.length;
        if (last || this.#isCosmos) yield { rows, units, position: this.#positionAfter(last, next) };
      } while (next !== '' && top === undefined);
    }
  }

  async split(
    table: string,
    after: EntityKey,
    before: EntityKey | undefined,
    { filter }: ReadWish,
  ): Promise<EntityKey | undefined> {
    if (filter !== undefined) return undefined;
    const first = async (condition: string) =>
      (await this.#readPage(table, ['$top=1', '$select=PartitionKey,RowKey', filterParameter(condition)])).rows[0];
    const { partitionKey } = after;
    const isOne = before?.partitionKey === partitionKey;
    if (!isOne) {
      const end = before === undefined ? '' : ` and PartitionKey lt ${literal(before.partitionKey)}`;
      const middle = await findMiddle(
        partitionKey,
        async (at) => (await first(`PartitionKey ge ${literal(at)}${end}`))?.partitionKey,
      );
      if (middle !== undefined && middle > partitionKey && middle.isWellFormed())
        return { partitionKey: middle, rowKey: '' };
    }
    const end = isOne && before.rowKey !== '' ? ` and RowKey lt ${literal(before.rowKey)}` : '';
    const inPartition = `PartitionKey eq ${literal(partitionKey)} and RowKey ge `;
    const rowKey = await findMiddle(after.rowKey, async (at) => (await first(inPartition + literal(at) + end))?.rowKey);
    return rowKey !== undefined && rowKey > after.rowKey && rowKey.isWellFormed()
      ? { partitionKey, rowKey }
      : undefined;
  }

  async settings(): Promise<string> {
    const answer = await this.#connection.send({
      method: 'GET',
      path: '/',
      query: 'restype=service',
      comp: 'properties',
      headers: { accept: 'application/xml' },
      check: checkXml,
    });
    if (answer.status !== 200) throw new ServiceRejection(`The settings of ${this.name} cannot be read`, answer);
    return answer.text.replace(/^\ufeff/, '');
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #readPage(table: string, parameters: readonly string[]): Promise<{ rows: readonly Row[]; answer: Answer }> {
    let rows: readonly Row[] = [];
    const answer = await this.#connection.send({
      method: 'GET',
      path: `/${table}()`,
      query: parameters.filter((one) => one !== '').join('&'),
      check: (text) => {
        rows = cutRows(text);
      },
    });
    if (answer.status !== 200) throw new ServiceRejection(`${table} of ${this.name} cannot be read`, answer);
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
    const answer = await this.#connection.send({
      method: 'GET',
      path: `/${name}`,
      comp: 'acl',
      headers: { accept: 'application/xml' },
      check: checkXml,
    });
    let policies: readonly AccessPolicy[] | undefined;
    if (answer.status === 200) policies = await readPoliciesDocument(answer.text.replace(/^\ufeff/, ''));
    return { name, policies };
  }
}

function filterParameter(...parts: readonly (string | undefined)[]): string {
  const all = parts.filter((part) => part !== undefined && part !== '');
  if (all.length === 0) return '';
  return `$filter=${encodeURIComponent(all.length === 1 ? (all[0] ?? '') : `${all[0]} and (${all[1]})`)}`;
}

function tokenOf({ headers }: Answer): string {
  return [
    parameter('NextPartitionKey', headers['x-ms-continuation-nextpartitionkey']),
    parameter('NextRowKey', headers['x-ms-continuation-nextrowkey']),
  ]
    .filter((part) => part !== '')
    .join('&');
}

function parameter(name: string, value: string | string[] | undefined): string {
  return typeof value === 'string' ? `${name}=${encodeURIComponent(value)}` : '';
}

/** Errors: SyntaxError for XML that is cut off. */
function checkXml(xml: string): void {
  if (!/(?:<\/(?:SignedIdentifiers|StorageServiceProperties)>|\/>)\s*$/.test(xml))
    throw new SyntaxError('the XML is cut off');
}
