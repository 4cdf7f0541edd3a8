import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** Maximum size of the buffers that are kept for later pages. Unit: bytes. */
const keptBytesMax = 8 * 1024 * 1024;

/** Sizes of buffers are multiples of this, so that pages of similar size can reuse them. Unit: bytes. */
const stepBytes = 64 * 1024;

/** Space before a page for the head of its answer, so that both are sent as one piece. Unit: bytes. */
const headBytesMax = 4096;

/** Space after a page, for the end of its chunk. Unit: bytes. */
const tailBytesMax = 16;

/** The body of an answer: text, or the bytes of a large page. */
export type Body = string | PageBuffer;

const kept: Buffer[] = [];
let keptBytes = 0;

/**
 * The memory of a page. It is reused for another page after the answer is sent.
 *
 * Buffers of this size are outside the heap. With a new buffer for each page, the garbage collector scanned the whole heap
 * eight times per second. Source: docs/benchmarks.md.
 */
export class PageBuffer {
  /** The bytes of the page. */
  readonly bytes: Buffer;
  readonly #whole: Buffer;
  #released = false;

  /** Takes memory for a page of exactly this size. */
  constructor(bytes: number) {
    const whole = headBytesMax + bytes + tailBytesMax;
    this.#whole = takeKept(whole) ?? Buffer.allocUnsafeSlow(Math.ceil(whole / stepBytes) * stepBytes);
    this.bytes = this.#whole.subarray(headBytesMax, headBytesMax + bytes);
  }

  /**
   * Returns the page between two texts of one-byte characters, in its own memory; undefined if there is no space for them.
   */
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
    if (keptBytes + this.#whole.length > keptBytesMax) {
      free(this.#whole);
      return;
    }
    kept.push(this.#whole);
    keptBytes += this.#whole.length;
  }

  /** Returns the page as text and releases its memory. */
  takeText(): string {
    const text = this.bytes.toString('latin1');
    this.release();
    return text;
  }
}

/** A closed port, created on first use. */
let closedPort: MessagePort | undefined;

/**
 * Frees the memory of a buffer at once. An idle server collects no garbage, so it would keep the pages of clients that left
 * without reading them. Memory that is transferred to a closed port is discarded.
 */
function free({ buffer }: Buffer): void {
  if (!closedPort) {
    closedPort = new MessageChannel().port1;
    closedPort.close();
  }
  closedPort.postMessage(undefined, [buffer as ArrayBuffer]);
}

function takeKept(bytes: number): Buffer | undefined {
  const at = kept.findIndex((buffer) => buffer.length >= bytes);
  if (at < 0) return undefined;
  const [buffer] = kept.splice(at, 1);
  keptBytes -= buffer?.length ?? 0;
  return buffer;
}
