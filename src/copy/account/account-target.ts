import { setTimeout as sleep } from 'node:timers/promises';
import { writePoliciesDocument } from '../../formats/xml/write-documents.js';
import type { CopyMode, OpenedTable, Source, SourceTable, Target, WriteResult } from '../ends/end.js';
import type { Row } from '../rows/row.js';
import { AccountSource } from './account-source.js';
import { type Connection, ServiceRejection } from './connection.js';
import { GroupWriter } from './group-writer.js';
import { codeOf } from './retry.js';
import { batchLimits, groupRows, writeHeaders } from './write-batch.js';

/** How long a copy waits for a table that is being deleted. Azure needs at least 40 seconds. Unit: milliseconds. (Our choice.) */
const deletedMsMax = 180_000;

/** Pause between two attempts to create it. Unit: milliseconds. (Our choice.) */
const deletedPauseMs = 2000;

/** How a target writes. */
export interface TargetTraits {
  readonly isCosmos: boolean;
  readonly tries: number;
  /** Whether rows are written in the order in which they come. */
  readonly keepsOrder: boolean;
}

/** Writes to the tables of an account. */
export class AccountTarget implements Target {
  readonly name: string;
  readonly order = 'any';
  readonly #connection: Connection;
  readonly #traits: TargetTraits;
  readonly #source: AccountSource;

  constructor(connection: Connection, traits: TargetTraits) {
    this.#connection = connection;
    this.#traits = traits;
    this.#source = new AccountSource(connection, traits);
    this.name = connection.name;
  }

  async open({ name, policies = [] }: SourceTable): Promise<OpenedTable> {
    await this.#create(name);
    let wasEmpty = true;
    for await (const { rows } of this.#source.pages(name, {}, {}, 1)) wasEmpty &&= rows.length === 0;
    if (policies.length > 0 && !this.#traits.isCosmos) {
      const answer = await this.#connection.send({
        method: 'PUT',
        path: `/${name}`,
        comp: 'acl',
        headers: { accept: 'application/xml', 'content-type': 'application/xml' },
        body: writePoliciesDocument(policies).replace(/^\ufeff/, ''),
      });
      if (answer.status >= 300) throw new ServiceRejection(`The policies of ${name} cannot be written`, answer);
    }
    return { wasEmpty };
  }

  async write(table: string, rows: readonly Row[], mode: CopyMode): Promise<WriteResult> {
    const { isCosmos, tries, keepsOrder } = this.#traits;
    const writer = new GroupWriter(this.#connection, this.#source, { table, mode, tries, isCosmos });
    const last = new Map<string, Promise<void>>();
    const groups = groupRows(rows, isCosmos ? batchLimits.cosmos : batchLimits.storage, keepsOrder);
    // A second write of an entity waits for the first one.
    const writes = groups.map((group) => {
      const chain = keepsOrder ? '' : (group[0]?.partitionKey ?? '');
      const write = (last.get(chain) ?? Promise.resolve()).then(() => writer.write(group));
      last.set(chain, write);
      return write;
    });
    for (const outcome of await Promise.allSettled(writes)) if (outcome.status === 'rejected') throw outcome.reason;
    return writer.result;
  }

  finish(): Promise<void> {
    return Promise.resolve();
  }

  reader(): Promise<Source> {
    return Promise.resolve(this.#source);
  }

  async writeSettings(xml: string): Promise<void> {
    const answer = await this.#connection.send({
      method: 'PUT',
      path: '/',
      query: 'restype=service',
      comp: 'properties',
      headers: { accept: 'application/xml', 'content-type': 'application/xml' },
      body: xml,
    });
    if (answer.status >= 300) throw new ServiceRejection(`The settings of ${this.name} cannot be written`, answer);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Creates a table unless it exists. Waits while one of its name is being deleted. */
  async #create(name: string): Promise<void> {
    const until = Date.now() + deletedMsMax;
    for (;;) {
      const answer = await this.#connection.send({
        method: 'POST',
        path: '/Tables',
        headers: writeHeaders,
        body: JSON.stringify({ TableName: name }),
      });
      const code = codeOf(answer.text);
      // The signature of a table cannot create it, but the table may exist. The next request tells.
      if (answer.status < 300 || code === 'TableAlreadyExists' || answer.status === 403) return;
      if (code !== 'TableBeingDeleted' || Date.now() >= until)
        throw new ServiceRejection(`${name} cannot be created in ${this.name}`, answer);
      await sleep(deletedPauseMs);
    }
  }
}
