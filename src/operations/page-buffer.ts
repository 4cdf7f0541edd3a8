import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** What is kept for the next pages. Unit: bytes. */
const keptBytesMax = 8 * 1024 * 1024;

/** Buffers are made in multiples of this, so that pages of about one size share them. Unit: bytes. */
const stepBytes = 64 * 1024;

const kept: Buffer[] = [];
let keptBytes = 0;

/**
 * The memory a page is written into, used again for another page once the answer is out.
 *
 * Buffers of this size lie outside the heap, and a new one for each page had the collector look through all of the heap
 * eight times a second. Source: docs/benchmarks.md.
 */
export class PageBuffer {
  /** The page, and nothing else. */
  readonly bytes: Buffer;
  readonly #whole: Buffer;
  #released = false;

  /** Room for a page of exactly this size. */
  constructor(bytes: number) {
    this.#whole = takeKept(bytes) ?? Buffer.allocUnsafeSlow(Math.ceil(bytes / stepBytes) * stepBytes);
    this.bytes = this.#whole.subarray(0, bytes);
  }

  /** Gives the memory to another page, or frees it. `bytes` must not be read or written any more. */
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

/** A closed port, made when it is first needed. */
let closedPort: MessagePort | undefined;

/**
 * Frees the memory of a buffer at once. A server that has become idle collects no garbage, so it would keep the pages of
 * clients that left without reading them. What is transferred to a closed port is discarded.
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
