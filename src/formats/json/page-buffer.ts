import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** Maximum size of the buffers kept for later pages. Unit: bytes. */
const keptBytesMax = 8 * 1024 * 1024;

/** Sizes of buffers are multiples of this, so that pages of similar size can reuse them. Unit: bytes. */
const stepBytes = 64 * 1024;

/** Space before a page for the head of its answer, so that both are sent as one piece. Unit: bytes. */
const headBytesMax = 4096;

/** Space after a page, for the end of its chunk. Unit: bytes. */
const tailBytesMax = 16;

/** The body of an answer: text, or the bytes of a large page. */
export type Body = string | PageBuffer;

/**
 * The memory of the pages of one server. It is reused for another page after an answer is sent.
 *
 * Buffers of this size are outside the heap. With a new buffer for each page, the garbage collector scanned the whole heap
 * eight times per second. Source: docs/benchmarks.md.
 */
export class PageMemory {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  /** A closed port, created on first use. */
  #closedPort: MessagePort | undefined;
  /** Resolves when the last of the large pages is written. */
  #lastLarge: Promise<unknown> = Promise.resolve();

  /** Size of the buffers for later pages. Unit: bytes. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** Takes memory for a page of exactly this size. */
  take(bytes: number): PageBuffer {
    const wanted = headBytesMax + bytes + tailBytesMax;
    const whole = this.#takeKept(wanted) ?? Buffer.allocUnsafeSlow(Math.ceil(wanted / stepBytes) * stepBytes);
    return new PageBuffer(whole, bytes, this);
  }

  reclaim(whole: Buffer): void {
    if (this.#keptBytes + whole.length > keptBytesMax) {
      this.#free(whole);
      return;
    }
    this.#kept.push(whole);
    this.#keptBytes += whole.length;
  }

  /** Writes a large page after those before it. Errors: those of `write`. */
  afterOthers<Result>(write: () => Promise<Result>): Promise<Result> {
    const written = this.#lastLarge.then(write);
    this.#lastLarge = written.catch(() => {});
    return written;
  }

  /**
   * Frees the memory of a buffer at once. An idle server collects no garbage, so it would keep the pages of clients that left
   * without reading them. Memory that is transferred to a closed port is discarded.
   */
  #free({ buffer }: Buffer): void {
    if (!this.#closedPort) {
      this.#closedPort = new MessageChannel().port1;
      this.#closedPort.close();
    }
    this.#closedPort.postMessage(undefined, [buffer as ArrayBuffer]);
  }

  #takeKept(bytes: number): Buffer | undefined {
    const at = this.#kept.findIndex((buffer) => buffer.length >= bytes);
    if (at < 0) return undefined;
    const [buffer] = this.#kept.splice(at, 1);
    this.#keptBytes -= buffer?.length ?? 0;
    return buffer;
  }
}

/** The memory of one page. */
export class PageBuffer {
  readonly bytes: Buffer;
  readonly #whole: Buffer;
  readonly #memory: PageMemory;
  #released = false;

  /** Takes a part of `whole`, which returns to `memory`. */
  constructor(whole: Buffer, bytes: number, memory: PageMemory) {
    this.#whole = whole;
    this.#memory = memory;
    this.bytes = whole.subarray(headBytesMax, headBytesMax + bytes);
  }

  /** Returns the page between two texts of one-byte characters, in its own memory; undefined if there is no space for them. */
  between(head: string, tail: string): Buffer | undefined {
    if (head.length > headBytesMax || tail.length > tailBytesMax) return undefined;
    const from = headBytesMax - head.length;
    const to = headBytesMax + this.bytes.length;
    this.#whole.write(head, from, 'latin1');
    this.#whole.write(tail, to, 'latin1');
    return this.#whole.subarray(from, to + tail.length);
  }

  /** Keeps the memory for another page, or frees it. `bytes` must not be used after this. A second call does nothing. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#memory.reclaim(this.#whole);
  }

  /** Returns the page as text and releases its memory. */
  takeText(): string {
    const text = this.bytes.toString('latin1');
    this.release();
    return text;
  }
}
