import { randomBytes } from 'node:crypto';
import type { CopyWish } from '../contract.js';
import { emptyResult, type WriteResult } from '../ends/end.js';
import { isSameEntity } from '../rows/canonical-entity.js';
import { membersOf, type Row, typeSuffix, writeMembers } from '../rows/row.js';
import type { AccountSource } from './account-source.js';
import { type Connection, ServiceRejection } from './connection.js';
import { literal } from './key-range.js';
import { type Answer, busyStatuses, retriedStatuses } from './retry.js';
import { readFault, statusOfBatch, writeBatch, writeHeaders, writeOperation } from './write-batch.js';

/** Rounds in which the existing entities of a transaction may change before the copy gives up. (Our choice.) */
const changedRoundsMax = 5;

/** Tries for several rows that a service fails to write. Then they are written in halves, to find the row at fault. (Our choice.) */
const groupTries = 3;

/** The table and the form of writes. */
interface GroupWish {
  readonly table: string;
  readonly mode: CopyWish['mode'];
  readonly isCosmos: boolean;
}

/** Writes transactions to one table. */
export class GroupWriter {
  readonly result: WriteResult = emptyResult();
  readonly #connection: Connection;
  readonly #source: AccountSource;
  readonly #wish: GroupWish;

  constructor(connection: Connection, source: AccountSource, wish: GroupWish) {
    this.#connection = connection;
    this.#source = source;
    this.#wish = wish;
  }

  /** Writes a transaction. Takes out the rows that the service rejects, until the rest is written. Errors: CopyFault. */
  async write(group: readonly Row[]): Promise<void> {
    let rows = group.filter((row) => this.#hasPath(row));
    let changedRounds = 0;
    while (rows.length > 0) {
      const answer = await this.#send(rows, rows.length > 1 ? groupTries : undefined);
      if (answer.status < 300) {
        this.result.written += rows.length;
        return;
      }
      const { code } = readFault(answer);
      if (code === 'EntityAlreadyExists' || code === 'EntityAlreadyExist') {
        const rest = await this.#withoutExisting(rows);
        if (rest.length === rows.length && ++changedRounds > changedRoundsMax)
          throw new ServiceRejection(`${this.#wish.table} changes during the copy`, { status: 409, text: '' });
        rows = rest;
      } else rows = await this.#withoutFault(rows, answer);
    }
  }

  /** Fails a row that no request can name. */
  #hasPath(row: Row): boolean {
    const isNamed = this.#wish.mode === 'merge' || this.#wish.mode === 'replace';
    if (!isNamed || (row.partitionKey.isWellFormed() && row.rowKey.isWellFormed())) return true;
    const message = 'The key has half of a surrogate pair, so only --mode insert can write it.';
    this.result.failed.push({ row, code: 'InvalidUri', message });
    return false;
  }

  /** Sends rows in one request. */
  #send(rows: readonly Row[], triesMax: number | undefined): Promise<Answer> {
    const { table, mode, isCosmos } = this.#wish;
    const isAzurite = this.#connection.server.startsWith('Azurite');
    const operations = rows.map((row) => {
      const sent = isAzurite ? { ...row, text: withDoubles(row.text) } : row;
      return writeOperation(table, sent, mode, isCosmos);
    });
    const [only] = operations;
    if (operations.length === 1 && only)
      return this.#connection.send({ ...only, headers: { ...writeHeaders, ...only.headers }, triesMax });
    const boundary = randomBytes(8).toString('hex');
    return this.#connection.send({
      ...{ method: 'POST', path: '/$batch', triesMax },
      headers: { 'content-type': `multipart/mixed; boundary=batch_${boundary}` },
      body: writeBatch(this.#connection.endpoint, operations, boundary),
      check: (text) => statusOfBatch(text, operations.length),
    });
  }

  /**
   * Returns the rows without the one at fault. If the service does not tell it, writes one half of them. Errors: ServiceRejection for a
   * fault of the table, the caller or the whole service, which no other row can avoid.
   */
  async #withoutFault(rows: readonly Row[], answer: Answer): Promise<Row[]> {
    const { code, message, at } = readFault(answer);
    const { status } = answer;
    // Cosmos DB has one code for a missing table and a missing entity, which no write of a copy asks for.
    const isOfAll = ['TableNotFound', 'ResourceNotFound'].includes(code) || [401, 403].includes(status);
    if (isOfAll || busyStatuses.has(status))
      throw new ServiceRejection(`${this.#wish.table} cannot be written in ${this.#connection.name}`, answer);
    const bad = rows.length === 1 ? rows[0] : at === undefined ? undefined : rows[at];
    if (bad) {
      // A service that fails for everything does not answer this either, which ends the copy.
      if (retriedStatuses.has(status)) await this.#source.pages(this.#wish.table, {}, {}, 1).next();
      const reason = message || 'The service gave no reason.';
      this.result.failed.push({ row: bad, code: code || String(status), message: reason });
      return rows.filter((row) => row !== bad);
    }
    const half = rows.length >> 1;
    await this.write(rows.slice(0, half));
    return rows.slice(half);
  }

  /**
   * Takes out the rows that exist. After an interruption or a lost answer, these are the copy's own rows, with the same values.
   * One query finds them all.
   */
  async #withoutExisting(rows: readonly Row[]): Promise<Row[]> {
    const wanted = new Map(rows.map((row) => [row.rowKey, row]));
    const existing = new Set<Row>();
    for await (const page of this.#source.pages(this.#wish.table, {}, { filter: spanOf(rows) })) {
      for (const { partitionKey, rowKey, text } of page.rows) {
        const row = wanted.get(rowKey);
        if (row?.partitionKey !== partitionKey) continue;
        existing.add(row);
        if (isSameEntity(text, row.text)) this.result.same++;
        else if (this.#wish.mode === 'skip') this.result.skipped.push(row);
        else {
          const message = 'An entity with other values exists.';
          this.result.failed.push({ row, code: 'EntityAlreadyExists', message });
        }
      }
    }
    return rows.filter((row) => !existing.has(row));
  }
}

/** Returns the filter for the keys from the first to the last row of one partition. */
function spanOf(rows: readonly Row[]): string {
  const keys = rows.map(({ rowKey }) => rowKey).sort();
  const [low = '', high = ''] = [keys[0], keys.at(-1)];
  const partitionKey = rows[0]?.partitionKey ?? '';
  const conditions = [
    // A filter cannot name half of a surrogate pair. Without a condition, it finds more.
    ...(partitionKey.isWellFormed() ? [`PartitionKey eq ${literal(partitionKey)}`] : []),
    ...(low.isWellFormed() ? [`RowKey ge ${literal(low)}`] : []),
    ...(high.isWellFormed() ? [`RowKey le ${literal(high)}`] : []),
  ];
  return conditions.join(' and ');
}

/** Annotates Doubles: Azurite takes 1.0 for an Int32. */
function withDoubles(text: string): string {
  if (!/:\s*-?\d+[.eE]/.test(text)) return text;
  const members = membersOf(text);
  const named = new Set(members.map(({ name }) => name));
  const typed = members.flatMap((member) => {
    const isBare = /^-?\d+[.eE]/.test(member.value) && !named.has(member.name + typeSuffix);
    return isBare ? [{ name: member.name + typeSuffix, value: '"Edm.Double"' }, member] : [member];
  });
  return writeMembers(typed);
}
