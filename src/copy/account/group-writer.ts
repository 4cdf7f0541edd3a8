import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CopyMode, emptyResult, type WriteResult } from '../ends/end.js';
import { membersOf, type Row, typeSuffix, writeMembers } from '../rows/row.js';
import { isSameEntity } from '../rows/sum-rows.js';
import type { AccountSource } from './account-source.js';
import { type Connection, ServiceRejection } from './connection.js';
import { literal } from './key-range.js';
import { backOff, passingCodes } from './retry.js';
import {
  type Operation,
  readBatchAnswer,
  readFault,
  type WriteFault,
  writeBatch,
  writeHeaders,
  writeOperation,
} from './write-batch.js';

/** Rounds in which the existing entities of a transaction may change before the copy gives up. (Our choice.) */
const changedRoundsMax = 5;

/** The table and the form of writes. */
interface GroupWish {
  readonly table: string;
  readonly mode: CopyMode;
  readonly tries: number;
  readonly isCosmos: boolean;
}

/** Writes transactions to one table. */
export class GroupWriter {
  readonly result: WriteResult = emptyResult();
  readonly #connection: Connection;
  readonly #source: AccountSource;
  readonly #table: string;
  readonly #mode: CopyMode;
  readonly #tries: number;
  readonly #isCosmos: boolean;

  constructor(connection: Connection, source: AccountSource, wish: GroupWish) {
    this.#connection = connection;
    this.#source = source;
    this.#table = wish.table;
    this.#mode = wish.mode;
    this.#tries = wish.tries;
    this.#isCosmos = wish.isCosmos;
  }

  /** Writes a transaction. Takes out the rows that the service rejects, until the rest is written. Errors: CopyFault. */
  async write(group: readonly Row[]): Promise<void> {
    let rows = group.filter((row) => this.#hasPath(row));
    let changedRounds = 0;
    for (let attempt = 0; rows.length > 0; attempt++) {
      const fault = await this.#send(rows);
      if (!fault) {
        this.result.written += rows.length;
        return;
      }
      if (passingCodes.has(fault.code) && attempt < this.#tries) {
        this.#connection.gate.slower();
        await sleep(backOff(attempt));
      } else if (fault.code === 'EntityAlreadyExists' || fault.code === 'EntityAlreadyExist') {
        const rest = await this.#withoutExisting(rows);
        if (rest.length === rows.length && ++changedRounds > changedRoundsMax)
          throw new ServiceRejection(`${this.#table} changes during the copy`, { status: 409, text: '' });
        rows = rest;
      } else {
        this.#checkAccess(fault);
        rows = await this.#withoutFault(rows, fault);
      }
    }
  }

  /** Fails a row that no request can name. */
  #hasPath(row: Row): boolean {
    if (this.#operationOf(row)) return true;
    const message = 'The key has half of a surrogate pair, so only --mode insert can write it.';
    this.result.failed.push({ row, code: 'InvalidUri', message });
    return false;
  }

  #operationOf(row: Row): Operation | undefined {
    return writeOperation(this.#table, row, this.#mode, this.#isCosmos);
  }

  /** Sends rows in one request. Returns why the service rejects them, if it does. */
  async #send(rows: readonly Row[]): Promise<WriteFault | undefined> {
    const isAzurite = this.#connection.server.startsWith('Azurite');
    const operations = rows
      .map((row) => this.#operationOf(isAzurite ? { ...row, text: withDoubles(row.text) } : row))
      .filter((operation) => operation !== undefined);
    const [only] = operations;
    if (operations.length === 1 && only) {
      const { method, path, text: body } = only;
      const headers = { ...writeHeaders, ...only.headers };
      const answer = await this.#connection.send({ method, path, headers, body });
      return answer.status < 300 ? undefined : readFault(answer);
    }
    const boundary = randomBytes(8).toString('hex');
    const answer = await this.#connection.send({
      method: 'POST',
      path: '/$batch',
      headers: { 'content-type': `multipart/mixed; boundary=batch_${boundary}` },
      body: writeBatch(this.#connection.origin + this.#connection.basePath, operations, boundary),
      check: (text) => void readBatchAnswer(text, operations.length),
    });
    return answer.status === 202 ? readBatchAnswer(answer.text, operations.length) : readFault(answer);
  }

  /** Errors: ServiceRejection for a fault of the table or the caller, which no other row can avoid. */
  #checkAccess({ status, code, message }: WriteFault): void {
    // Cosmos DB has one code for a missing table and a missing entity, which no write of a copy asks for.
    if (!['TableNotFound', 'ResourceNotFound'].includes(code) && status !== 401 && status !== 403) return;
    const text = JSON.stringify({ code, value: message });
    throw new ServiceRejection(`${this.#table} cannot be written in ${this.#connection.name}`, { status, text });
  }

  /** Returns the rows without the one at fault. If the service does not tell it, writes one half of them. */
  async #withoutFault(rows: readonly Row[], { status, code, message, at }: WriteFault): Promise<Row[]> {
    const bad = rows.length === 1 ? rows[0] : at === undefined ? undefined : rows[at];
    if (bad) {
      this.result.failed.push({ row: bad, code: code || String(status), message });
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
    for await (const page of this.#source.pages(this.#table, {}, { filter: spanOf(rows) })) {
      for (const { rowKey, text } of page.rows) {
        const row = wanted.get(rowKey);
        if (!row) continue;
        existing.add(row);
        if (isSameEntity(text, row.text)) this.result.same++;
        else if (this.#mode === 'skip') this.result.skipped.push(row);
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
  const conditions = [
    `PartitionKey eq ${literal(rows[0]?.partitionKey ?? '')}`,
    // A filter cannot name half of a surrogate pair. Without a bound, it finds more.
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
  return writeMembers(
    members.flatMap((member) => {
      const isBare = /^-?\d+[.eE]/.test(member.value) && !named.has(member.name + typeSuffix);
      return isBare ? [{ name: member.name + typeSuffix, value: '"Edm.Double"' }, member] : [member];
    }),
  );
}
