import { randomUUID } from 'node:crypto';
import { odata, RestError, TableClient, type TableServiceClientOptions } from '@azure/data-tables';

/** How a queue treats its jobs. Units: milliseconds. */
export interface JobQueueOptions {
  /** How long a worker has a job before others may take it. */
  readonly leaseMs: number;
  /** The pause after the first failure; it doubles with each further one. */
  readonly backOffMs: number;
  /** A job that has failed so often is a dead letter. */
  readonly attemptsMax: number;
  /** Returns the time, in milliseconds since 1970. */
  readonly now: () => number;
  readonly client?: TableServiceClientOptions;
}

/** A job that one worker has for a while. */
export interface LeasedJob {
  readonly id: string;
  readonly payload: string;
  /** How often it was leased, this time included. */
  readonly attempts: number;
  /** The tag of the lease. Every write of the job changes it. */
  readonly etag: string;
}

/** The worker has lost the job: its lease has ended, and another worker has taken it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** There is another job with this id. */
export class JobExists extends Error {
  override readonly name = 'JobExists';
}

/** A job as the table has it. */
interface JobEntity {
  readonly payload: string;
  /** Workers may take it from then on. */
  readonly visibleAt: Date;
  readonly attempts: number;
  readonly isDead: boolean;
  /** Differs with every write, so that a write that was repeated recognizes itself. */
  readonly change: string;
}

/** How many jobs a worker looks at when it wants one. */
const candidates = 16;

/**
 * A queue of jobs in a table, with the unmodified SDK. A job is an entity of the queue's partition. A worker takes it by an
 * update with its ETag, so of several workers one succeeds.
 *
 * The SDK repeats a request that got no answer, or that the service could not serve. The first try may have been made all
 * the same, and then the second one is rejected: an insert with 409, an update with 412, a deletion with 404. Each operation
 * here finds out whether it was rejected because of itself.
 */
export class JobQueue {
  readonly #table: TableClient;
  readonly #name: string;
  readonly #options: JobQueueOptions;

  constructor(connectionString: string, name: string, options: JobQueueOptions) {
    // A test server uses HTTP.
    const client = { allowInsecureConnection: true, ...options.client };
    this.#table = TableClient.fromConnectionString(connectionString, 'Jobs', client);
    this.#name = name;
    this.#options = options;
  }

  /** Adds a job. Errors: JobExists if another one has this id. */
  async enqueue(id: string, payload: string): Promise<void> {
    const change = randomUUID();
    const job: JobEntity = { payload, visibleAt: this.#after(0), attempts: 0, isDead: false, change };
    try {
      await this.#table.createEntity({ ...this.#key(id), ...job });
    } catch (error) {
      if (statusOf(error) !== 409) throw error;
      if ((await this.#read(id))?.change !== change) throw new JobExists(`There is a job ${id} already.`);
    }
  }

  /** Takes a job that is due; undefined if there is none. */
  async lease(): Promise<LeasedJob | undefined> {
    const filter = odata`PartitionKey eq ${this.#name} and visibleAt le ${this.#after(0)} and isDead eq false`;
    const query = this.#table.listEntities<JobEntity>({ queryOptions: { filter } });
    let seen = 0;
    for await (const { rowKey: id = '', etag: found, payload, attempts } of query) {
      const changes = { visibleAt: this.#after(this.#options.leaseMs), attempts: attempts + 1 };
      const etag = await this.#change({ id, etag: found }, changes);
      if (etag !== undefined) return { id, payload, attempts: attempts + 1, etag };
      // Another worker was faster.
      if (++seen === candidates) return undefined;
    }
    return undefined;
  }

  /** Keeps a job for another lease. Errors: LeaseLost. */
  async renew(job: LeasedJob): Promise<LeasedJob> {
    return { ...job, etag: await this.#keep(job, { visibleAt: this.#after(this.#options.leaseMs) }) };
  }

  /** Removes a job that is done. Errors: LeaseLost. */
  async complete({ id, etag }: LeasedJob): Promise<void> {
    const { partitionKey, rowKey } = this.#key(id);
    try {
      await this.#table.deleteEntity(partitionKey, rowKey, { etag });
    } catch (error) {
      if (statusOf(error) === 412) throw lost(id);
      // It is gone, by this call or by a worker that had it later.
      if (statusOf(error) !== 404) throw error;
    }
  }

  /** Gives a job back that has failed: for later, or as a dead letter. Errors: LeaseLost. */
  async fail(job: LeasedJob): Promise<void> {
    const { backOffMs, attemptsMax } = this.#options;
    const isDead = job.attempts >= attemptsMax;
    await this.#keep(job, { isDead, visibleAt: this.#after(backOffMs * 2 ** (job.attempts - 1)) });
  }

  /** Returns the ids of the jobs that have failed too often. */
  async deadLetters(): Promise<readonly string[]> {
    const filter = odata`PartitionKey eq ${this.#name} and isDead eq true`;
    const ids: string[] = [];
    for await (const { rowKey = '' } of this.#table.listEntities({ queryOptions: { filter, select: ['RowKey'] } })) {
      ids.push(rowKey);
    }
    return ids;
  }

  /** Writes a job that is leased. Errors: LeaseLost. */
  async #keep(job: LeasedJob, changes: Partial<JobEntity>): Promise<string> {
    const etag = await this.#change(job, changes);
    if (etag === undefined) throw lost(job.id);
    return etag;
  }

  /** Writes a job if it has this ETag. Returns its new one, or undefined if another worker has written it. */
  async #change(
    { id, etag }: Pick<LeasedJob, 'id' | 'etag'>,
    changes: Partial<JobEntity>,
  ): Promise<string | undefined> {
    const change = randomUUID();
    try {
      const written = await this.#table.updateEntity({ ...this.#key(id), ...changes, change }, 'Merge', { etag });
      return written.etag;
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      if (statusOf(error) !== 412) throw error;
      const present = await this.#read(id);
      return present?.change === change ? present.etag : undefined;
    }
  }

  async #read(id: string): Promise<(JobEntity & { readonly etag: string }) | undefined> {
    const { partitionKey, rowKey } = this.#key(id);
    try {
      return await this.#table.getEntity<JobEntity>(partitionKey, rowKey);
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw error;
    }
  }

  #key(id: string) {
    return { partitionKey: this.#name, rowKey: id };
  }

  #after(ms: number): Date {
    return new Date(this.#options.now() + ms);
  }
}

function lost(id: string): LeaseLost {
  return new LeaseLost(`The lease of the job ${id} has ended, and another worker has it.`);
}

function statusOf(error: unknown): number | undefined {
  return error instanceof RestError ? error.statusCode : undefined;
}
