import type { Change } from '../../entity/stored/change.js';
import type { EntityKey } from '../../entity/stored/entity.js';
import type { Units } from './key-index.js';
import { RecordPage } from './record-page.js';

/** The numbers of a head: when, and the number of the request; and how many bytes a head has before its texts. */
const headNumbers = 2;
const headShorts = 4;
const headBytes = headNumbers * Float64Array.BYTES_PER_ELEMENT + headShorts * Uint16Array.BYTES_PER_ELEMENT;

/** How many short numbers a change has before its texts, and how many bytes they take. */
const changeShorts = 4;
const changeBytes = changeShorts * Uint16Array.BYTES_PER_ELEMENT;

/** A head and a change begin at such places. Unit: bytes. */
const alignment = Float64Array.BYTES_PER_ELEMENT;

/** The kinds of changes, as a number stands for them. */
const kinds: readonly Change['kind'][] = ['insert', 'replace', 'merge', 'delete'];

/** The bit that tells that texts take two bytes for a character. */
const wideBit = 4;

/** The place of the head of a page that has none. */
const noHead = -1;

/** What all changes of a transaction have in common, but the PartitionKey. */
export interface TransactionHead<Facts> {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly requestNumber: number;
  readonly clientId: string | undefined;
  /** What mostly is the same object as that of the transaction before. */
  readonly facts: Facts;
}

/** One change as it is kept. */
export interface ChangeRecord<Facts> extends TransactionHead<Facts> {
  readonly kind: Change['kind'];
  readonly key: EntityKey;
  readonly timestamp: string;
}

/** A page with the facts of its records, and the place of its last head. */
interface ChangePage<Facts> {
  readonly memory: RecordPage;
  readonly facts: Facts[];
  head: number;
}

/**
 * The records of the slots of a ring, side by side in pages. What the changes of a transaction have in common is written once, as a
 * head before them, so a change of a transaction of a hundred takes about fifty bytes.
 */
export class ChangeRecords<Facts> {
  /** Of each slot: the number of its page, and its place there. */
  readonly #places: Uint32Array;
  /** The pages in use, the oldest first. */
  readonly #pages: ChangePage<Facts>[] = [];
  #firstPage = 0;
  /** A page that is not in use, so that a ring that goes round needs no new memory. */
  #spare: RecordPage | undefined;
  #lastHead: TransactionHead<Facts> | undefined;
  #lastPartition = '';

  /** Keeps a record for each of this many slots. */
  constructor(capacity: number) {
    this.#places = new Uint32Array(2 * capacity);
  }

  /** Writes a change into a slot. All slots must be written in turn. `head` is the same object for all changes of a transaction. */
  write(slot: number, head: TransactionHead<Facts>, kind: Change['kind'], key: EntityKey, timestamp: string): void {
    const { partitionKey, rowKey } = key;
    const units = partitionKey.length + rowKey.length + timestamp.length + (head.clientId?.length ?? 0);
    const page = this.#pageFor(headBytes + changeBytes + 2 * units + 2 * alignment);
    if (page.head === noHead || this.#lastHead !== head || this.#lastPartition !== partitionKey) {
      this.#lastHead = head;
      this.#lastPartition = partitionKey;
      writeHead(page, head, partitionKey);
    }
    const { memory } = page;
    const { shorts } = memory;
    const place = memory.end;
    memory.end += changeBytes;
    const isWide = memory.addTexts(rowKey, timestamp);
    let short = place / 2;
    shorts[short++] = page.head / alignment;
    shorts[short++] = rowKey.length;
    shorts[short++] = timestamp.length;
    shorts[short] = kinds.indexOf(kind) | (isWide ? wideBit : 0);
    this.#places[2 * slot] = this.#firstPage + this.#pages.length - 1;
    this.#places[2 * slot + 1] = place;
  }

  /** Forgets what was written last of a transaction, so that its texts are not kept in memory. */
  endTransaction(): void {
    this.#lastHead = undefined;
    this.#lastPartition = '';
  }

  /** Returns the record in a slot. */
  read(slot: number): ChangeRecord<Facts> {
    const { page, place, head } = this.#find(slot);
    const { numbers, shorts } = page.memory;
    const [, rowUnits = 0, timestampUnits = 0, bits = 0] = shorts.subarray(place / 2, place / 2 + changeShorts);
    const [at = 0, requestNumber = 0] = numbers.subarray(head / 8, head / 8 + headNumbers);
    const firstShort = shortsOfHead(head);
    const [partitionUnits = 0, idUnits = 0, facts = 0, isWide] = shorts.subarray(firstShort, firstShort + headShorts);
    const ofHead = (from: number, to: number) => page.memory.text(head + headBytes, isWide === 1, from, to);
    const own = (from: number, to: number) => page.memory.text(place + changeBytes, (bits & wideBit) !== 0, from, to);
    return {
      ...{ at, requestNumber },
      clientId: idUnits === 0 ? undefined : ofHead(partitionUnits, partitionUnits + idUnits - 1),
      facts: page.facts[facts] as Facts,
      kind: kinds[bits & (wideBit - 1)] as Change['kind'],
      key: { partitionKey: ofHead(0, partitionUnits), rowKey: own(0, rowUnits) },
      timestamp: own(rowUnits, rowUnits + timestampUnits),
    };
  }

  /** Calls a function with the key in a slot, without making texts of it. */
  readKey(slot: number, use: (partitionKey: Units, rowKey: Units) => void): void {
    const { page, place, head } = this.#find(slot);
    const { shorts } = page.memory;
    const firstShort = shortsOfHead(head);
    const isWide = shorts[firstShort + 3] === 1;
    const isOwnWide = ((shorts[place / 2 + 3] ?? 0) & wideBit) !== 0;
    use(
      {
        length: shorts[firstShort] ?? 0,
        charCodeAt: (index) => page.memory.unit(head + headBytes, isWide, index),
      },
      {
        length: shorts[place / 2 + 1] ?? 0,
        charCodeAt: (index) => page.memory.unit(place + changeBytes, isOwnWide, index),
      },
    );
  }

  /** Releases the memory of all slots before this one, which is the oldest that is in use. */
  releaseBefore(slot: number): void {
    const used = this.#places[2 * slot] ?? 0;
    while (this.#firstPage < used) {
      const released = this.#pages.shift();
      this.#firstPage++;
      if (!released?.memory.isOfUsualSize) continue;
      released.memory.end = 0;
      this.#spare = released.memory;
    }
  }

  /** Returns the page for a record of at most this many bytes. */
  #pageFor(bytes: number): ChangePage<Facts> {
    const last = this.#pages.at(-1);
    if (last?.memory.fits(bytes)) return last;
    const spare = this.#spare?.fits(bytes) ? this.#spare : undefined;
    if (spare) this.#spare = undefined;
    const page = { memory: spare ?? new RecordPage(bytes), facts: [], head: noHead };
    this.#pages.push(page);
    return page;
  }

  #find(slot: number) {
    const page = this.#pages[(this.#places[2 * slot] ?? 0) - this.#firstPage] as ChangePage<Facts>;
    const place = this.#places[2 * slot + 1] ?? 0;
    return { page, place, head: (page.memory.shorts[place / 2] ?? 0) * alignment };
  }
}

/** Writes a head at the end of a page. */
function writeHead<Facts>(page: ChangePage<Facts>, head: TransactionHead<Facts>, partitionKey: string): void {
  const { memory, facts } = page;
  const { at, requestNumber, clientId } = head;
  if (facts.at(-1) !== head.facts) facts.push(head.facts);
  const place = Math.ceil(memory.end / alignment) * alignment;
  let number = place / alignment;
  memory.numbers[number++] = at;
  memory.numbers[number++] = requestNumber;
  memory.end = place + headBytes;
  const isWide = memory.addTexts(partitionKey, clientId ?? '');
  const { shorts } = memory;
  let short = shortsOfHead(place);
  shorts[short++] = partitionKey.length;
  // A client's id may be empty.
  shorts[short++] = clientId === undefined ? 0 : clientId.length + 1;
  shorts[short++] = facts.length - 1;
  shorts[short] = isWide ? 1 : 0;
  page.head = place;
}

/** Returns where the short numbers of a head begin. */
function shortsOfHead(place: number): number {
  return place / 2 + headNumbers * 4;
}
