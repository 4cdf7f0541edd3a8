import { choice, count, name, object, optional, type Shape } from '../../schema.js';
import type { JournalListener } from '../journal/journal.js';

/** What happens to tables and to the state of accounts. */
export const eventKinds = [
  'table-created',
  'table-deleted',
  'entities-deleted',
  'reset',
  'restored',
  'imported',
  'undone',
  'snapshot-created',
  'snapshot-deleted',
  'branch-created',
  'branch-ended',
] as const;

/** Something that happened on a server, apart from requests and changes of entities. */
export const ServerEvent = object('ServerEvent', 'Something that happened to tables or to the state of accounts.', {
  kind: choice('What happened.', eventKinds),
  seq: count('Its position among the events of the server, from 1.'),
  account: optional(name('The account; absent if it can be any.')),
  table: optional(name('The table; absent if it can be any.')),
});
export type ServerEvent = Shape<typeof ServerEvent>;

/** An event without its position. */
interface NewEvent {
  readonly kind: ServerEvent['kind'];
  readonly account?: string | undefined;
  readonly table?: string | undefined;
}

/** How many events are retained. (Our choice: a test creates fewer tables within a reconnection.) */
const eventsMax = 1024;

/** The last events of a server, in memory. They are also there without a journal. */
export class ServerEvents {
  readonly #events: ServerEvent[] = [];
  readonly #listeners = new Set<JournalListener>();
  #next = 1;
  #isClosed = false;

  /** The position of the oldest event; `next` if there is none. */
  get first(): number {
    return this.#next - this.#events.length;
  }

  /** The position of the next event. */
  get next(): number {
    return this.#next;
  }

  /** Adds an event. */
  add({ kind, account, table }: NewEvent): void {
    const seq = this.#next++;
    this.#events.push({ kind, seq, ...(account !== undefined && { account }), ...(table !== undefined && { table }) });
    if (this.#events.length > eventsMax) this.#events.shift();
    this.#notify();
  }

  /** Returns the event at a position, or undefined if it is not retained. */
  read(seq: number): ServerEvent | undefined {
    return this.#events[seq - this.first];
  }

  /** Whether the server is stopping. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Notifies the listeners for the last time. */
  close(): void {
    this.#isClosed = true;
    this.#notify();
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Adds a listener. Returns a function that removes it. */
  listen(listener: JournalListener): () => void {
    const own: JournalListener = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
