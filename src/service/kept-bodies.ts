/** How much of each body is kept. Unit: bytes. Ours: so 256 requests with both bodies fit into 8 MiB. */
export const keptBodyBytesMax = 16 * 1024;

/** The beginnings of the bodies of one request and its answer. They may contain secrets. */
export class KeptBodies {
  #request: Buffer | undefined;
  #answer: Buffer | undefined;

  /** The body of the request, as far as it was read; undefined if it has none. */
  get request(): Buffer | undefined {
    return this.#request;
  }

  /** The body of the answer; undefined if it has none. */
  get answer(): Buffer | undefined {
    return this.#answer;
  }

  noteRequest(body: Buffer): void {
    if (body.length > 0) this.#request = beginningOf(body);
  }

  noteAnswer(body: string | Buffer): void {
    if (body.length > 0) this.#answer = beginningOf(typeof body === 'string' ? Buffer.from(body) : body);
  }
}

/** Returns bytes of their own: the memory of the whole body is used again. */
function beginningOf(body: Buffer): Buffer {
  return Buffer.from(body.subarray(0, keptBodyBytesMax));
}
