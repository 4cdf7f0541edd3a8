import type pg from 'pg';

/** A consumer of rows as bytes. */
export interface RowTaker {
  /**
   * Takes the rows in `bytes`, up to `end`. `starts` are the offsets of their fields: the number of columns, and a length before each. The
   * rest of `bytes`, at least as much again, is scratch space. The buffer is then reused.
   */
  take(bytes: Buffer, starts: readonly number[], end: number): void;
}

/** The types of database messages, in version 3 of the protocol. */
const types = { row: 0x44, ready: 0x5a };

/** Size of a message's type, and of its type and length. Unit: bytes. */
const typeBytes = 1;
const headBytes = 5;

/** Scratch space for a consumer, in addition to the size of the rows. Unit: bytes. */
const freeBytes = 1024;

/** Memory for rows of all connections, which are consumed synchronously. Four times the size of a socket read. */
const memory = Buffer.allocUnsafeSlow(256 * 1024);

const taps = new WeakMap<pg.Client, RowTap>();

/**
 * Diverts the rows of a statement from the client, as bytes. The client would create an object, a list and strings per row, which takes
 * longer than the database needs to find it. All other messages go to the client.
 */
export class RowTap {
  /** The client's own reader of messages. */
  readonly #parse: (bytes: Buffer) => void;
  #taker: RowTaker | undefined;
  /** The beginning of an incomplete message, and its minimum size. */
  #received: Buffer[] = [];
  #receivedBytes = 0;
  #neededBytes = 0;

  private constructor({ connection: { stream } }: pg.Client) {
    const [parse] = stream.listeners('data') as ((bytes: Buffer) => void)[];
    if (!parse) throw new Error('nothing reads the messages of the database');
    this.#parse = parse;
    stream
      .off('data', parse)
      .on('data', (bytes: Buffer) => (this.#taker ? this.#receive(bytes, this.#taker) : parse(bytes)));
  }

  /** Returns the tap of an open connection. */
  static of(client: pg.Client): RowTap {
    const tap = taps.get(client) ?? new RowTap(client);
    taps.set(client, tap);
    return tap;
  }

  /** Diverts the rows of the next statement to a consumer. No other statement may be in progress. */
  giveTo(taker: RowTaker): void {
    this.#taker = taker;
  }

  #receive(received: Buffer, taker: RowTaker): void {
    this.#received.push(received);
    this.#receivedBytes += received.length;
    if (this.#receivedBytes < this.#neededBytes) return;
    const end = this.#receivedBytes;
    const wanted = 2 * end + freeBytes;
    const bytes = wanted <= memory.length ? memory : Buffer.allocUnsafeSlow(wanted);
    let at = 0;
    for (const part of this.#received) {
      bytes.set(part, at);
      at += part.length;
    }
    this.#keep(bytes.subarray(this.#read(bytes, end, taker), end));
  }

  /** Reads whole messages. Returns the offset after them. */
  #read(bytes: Buffer, end: number, taker: RowTaker): number {
    const starts: number[] = [];
    const others: Buffer[] = [];
    let at = 0;
    while (at + headBytes <= end) {
      const next = at + typeBytes + bytes.readInt32BE(at + typeBytes);
      if (next > end) break;
      const type = bytes[at];
      if (type === types.row) starts.push(at + headBytes);
      // Copied, because the client may keep it.
      else others.push(Buffer.from(bytes.subarray(at, next)));
      if (type === types.ready) this.#taker = undefined;
      at = next;
    }
    if (starts.length > 0) taker.take(bytes, starts, end);
    for (const other of others) this.#parse(other);
    return at;
  }

  /** Keeps the beginning of a message until more of it arrives. */
  #keep(rest: Buffer): void {
    this.#received = rest.length === 0 ? [] : [Buffer.from(rest)];
    this.#receivedBytes = rest.length;
    this.#neededBytes = rest.length < headBytes ? 0 : typeBytes + rest.readInt32BE(typeBytes);
  }
}
