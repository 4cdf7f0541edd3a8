import type pg from 'pg';

/** What takes rows as bytes. */
export interface RowTaker {
  /**
   * Takes rows whose bytes are in `bytes`, up to `end`. `starts` are the offsets of their fields: the number of columns, and
   * a length before each. The rest of `bytes` is free: at least as much again. All of it is used for other rows afterwards.
   */
  take(bytes: Buffer, starts: readonly number[], end: number): void;
}

/** The types of messages of the database, in version 3 of its protocol. */
const types = { row: 0x44, ready: 0x5a };

/** Bytes of a message before its content: its type, and the length of what comes after the type. */
const typeBytes = 1;
const headBytes = 5;

/** Free memory for a taker, beside as much as the rows have. Unit: bytes. */
const freeBytes = 1024;

/** Memory for rows of all connections, since they are taken at once. It has space for what a socket reads at once, four times. */
const memory = Buffer.allocUnsafeSlow(256 * 1024);

const taps = new WeakMap<pg.Client, RowTap>();

/**
 * Takes the rows of a statement out of what the database sends, as bytes. The client would make an object, a list and texts
 * of each row, which takes longer than the database needs to find it. All other messages go to the client.
 */
export class RowTap {
  /** What reads messages for the client. */
  readonly #parse: (bytes: Buffer) => void;
  #taker: RowTaker | undefined;
  /** The beginning of a message whose end is missing, and the fewest bytes that it has. */
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

  /** Returns the tap of a connection, which is open. */
  static of(client: pg.Client): RowTap {
    const tap = taps.get(client) ?? new RowTap(client);
    taps.set(client, tap);
    return tap;
  }

  /** Gives the rows of the next statement to a taker. No other may be in progress. */
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

  /** Reads whole messages. Returns where they end. */
  #read(bytes: Buffer, end: number, taker: RowTaker): number {
    const starts: number[] = [];
    const others: Buffer[] = [];
    let at = 0;
    while (at + headBytes <= end) {
      const next = at + typeBytes + bytes.readInt32BE(at + typeBytes);
      if (next > end) break;
      const type = bytes[at];
      if (type === types.row) starts.push(at + headBytes);
      // The client may keep what it gets.
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
