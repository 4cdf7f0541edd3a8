import { setTimeout as sleep } from 'node:timers/promises';
import { writePoliciesDocument } from '../../formats/xml/write-documents.js';
import type { CopyWish } from '../contract.js';
import type { OpenedTable, SourceTable, Target, WriteResult } from '../ends/end.js';
import type { Row } from '../rows/row.js';
import { AccountSource, type AccountTraits } from './account-source.js';
import { type Connection, ServiceRejection } from './connection.js';
import { GroupWriter } from './group-writer.js';
import { codeOf } from './retry.js';
import { groupRows, writeHeaders } from './write-batch.js';

/** How long a copy waits for a table that is being deleted. Azure needs at least 40 seconds. Unit: milliseconds. (Our choice.) */
const deletedMsMax = 180_000;

/** Pause between two attempts to create it. Unit: milliseconds. (Our choice.) */
const deletedPauseMs = 2000;

/** How a target writes. */
export interface TargetTraits extends AccountTraits {
  /** Whether rows are written in the order in which they come. */
  readonly keepsOrder: boolean;
}

/** Writes to the tables of an account, and reads them. */
export class AccountTarget extends AccountSource implements Target {
  readonly isOrdered = false;
  readonly #traits: TargetTraits;

  constructor(connection: Connection, traits: TargetTraits) {
    super(connection, traits);
    this.#traits = traits;
  }

  async open({ name, policies = [] }: SourceTable): Promise<OpenedTable> {
    await this.#create(name);
    let wasEmpty = true;
    for await (const { rows } of this.pages(name, {}, {}, 1)) wasEmpty &&= rows.length === 0;
    if (policies.length > 0 && !this.#traits.isCosmos) {
      const body = writePoliciesDocument(policies).replace(/^\ufeff/, '');
      const headers = { accept: 'application/xml', 'content-type': 'application/xml' };
      const answer = await this.connection.send({ method: 'PUT', path: `/${name}`, comp: 'acl', headers, body });
      if (answer.status === 403)
        return { wasEmpty, note: `Stored access policies of ${name} were not copied: the target does not allow it.` };
      if (answer.status >= 300) throw new ServiceRejection(`The policies of ${name} cannot be written`, answer);
    }
    return { wasEmpty };
  }

  async write(table: string, rows: readonly Row[], mode: CopyWish['mode']): Promise<WriteResult> {
    const { keepsOrder, ...traits } = this.#traits;
    const writer = new GroupWriter(this.connection, this, { ...traits, table, mode });
    // A second row of an entity waits for the first one.
    for (const groups of groupRows(rows, traits.isCosmos, keepsOrder)) {
      const outcomes = await Promise.allSettled(groups.map((group) => writer.write(group)));
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    }
    return writer.result;
  }

  reader(): Promise<AccountSource> {
    return Promise.resolve(this);
  }

  async writeSettings(body: string): Promise<void> {
    const sent = { path: '/', query: 'restype=service', comp: 'properties', body };
    await this.connection.sendXml(sent, `The settings of ${this.connection.name} cannot be written`);
  }

  /** Creates a table unless it exists. Waits while one of its name is being deleted. */
  async #create(name: string): Promise<void> {
    const until = Date.now() + deletedMsMax;
    for (;;) {
      const body = JSON.stringify({ TableName: name });
      const answer = await this.connection.send({ method: 'POST', path: '/Tables', headers: writeHeaders, body });
      const code = codeOf(answer.text);
      // The signature of a table cannot create it, but the table may exist. The next request tells.
      if (answer.status < 300 || code === 'TableAlreadyExists' || answer.status === 403) return;
      if (code !== 'TableBeingDeleted' || Date.now() >= until)
        throw new ServiceRejection(`${name} cannot be created in ${this.connection.name}`, answer);
      await sleep(deletedPauseMs);
    }
  }
}
