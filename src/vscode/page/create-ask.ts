import { Credit, Taken } from './credit.js';
import { type PageMessage, type RelayMessage, uploadFault, uploadMax } from './messages.js';

/** Length of a part of an upload. Unit: bytes. */
const partBytes = 256 * 1024;

/** The two directions between the page and the relay. */
export interface PageLine {
  /** Sends a request as `fetch` does. Errors: TypeError if the server did not answer; Error if the relay rejects it; AbortError. */
  readonly ask: (path: string, request?: RequestInit) => Promise<Response>;
  /** Takes a message of the relay. */
  readonly receive: (message: RelayMessage) => void;
}

/** Creates the page's end of a relay. `post` sends a message to the other end. */
export function createAsk(post: (message: PageMessage) => void): PageLine {
  const pending = new Map<number, PendingAnswer>();
  let last = 0;
  const ask: PageLine['ask'] = async (path, { method = 'GET', headers, body, signal } = {}) => {
    const sent = body === undefined || body === null ? undefined : await new Response(body).blob();
    if (sent && sent.size > uploadMax) throw new Error(uploadFault);
    signal?.throwIfAborted();
    const id = ++last;
    const leave = () => {
      if (pending.delete(id)) post({ id, kind: 'leave' });
    };
    const one = new PendingAnswer(leave, (bytes) => post({ id, kind: 'taken', bytes }));
    pending.set(id, one);
    signal?.addEventListener('abort', () => {
      if (!pending.has(id)) return;
      one.fail(signal.reason);
      leave();
    });
    post({ id, kind: 'ask', method, path, headers: Object.fromEntries(new Headers(headers)), length: sent?.size });
    if (sent) void upload(id, one, sent);
    return one.answer;
  };
  const upload = async (id: number, one: PendingAnswer, body: Blob) => {
    for (let at = 0; at < body.size; at += partBytes) {
      const bytes = new Uint8Array(await body.slice(at, at + partBytes).arrayBuffer());
      // A server may answer before it has read everything.
      if (!pending.has(id)) return;
      post({ id, kind: 'part', bytes });
      await one.credit.spend(bytes.length);
    }
    post({ id, kind: 'end' });
  };
  const receive: PageLine['receive'] = (message) => {
    const one = pending.get(message.id);
    if (message.kind === 'head') one?.begin(message.status, message.headers);
    else if (message.kind === 'part') one?.add(message.bytes);
    else if (message.kind === 'taken') one?.credit.give(message.bytes);
    else if (pending.delete(message.id)) {
      if (message.kind === 'end') one?.end();
      else one?.fail(message.reason === undefined ? new TypeError('No answer.') : new Error(message.reason));
    }
  };
  return { ask, receive };
}

/** The answer to a request, as it comes. */
class PendingAnswer {
  readonly credit = new Credit();
  readonly answer: Promise<Response>;
  readonly #body: ReadableStream<Uint8Array<ArrayBuffer>>;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #queued = 0;
  #resolve: (answer: Response) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(leave: () => void, acknowledge: (bytes: number) => void) {
    const taken = new Taken(acknowledge);
    this.answer = new Promise((resolve, reject) => {
      [this.#resolve, this.#reject] = [resolve, reject];
    });
    this.#body = new ReadableStream({
      start: (stream) => {
        this.#stream = stream;
      },
      // The reader has room again: it has taken the parts so far.
      pull: () => {
        taken.add(this.#queued);
        this.#queued = 0;
      },
      cancel: leave,
    });
  }

  begin(status: number, headers: readonly (readonly [string, string])[]): void {
    const body = status === 204 || status === 304 ? null : this.#body;
    this.#resolve(
      new Response(body, { status, headers: headers.map(([name, value]): [string, string] => [name, value]) }),
    );
  }

  add(bytes: Uint8Array): void {
    this.#queued += bytes.length;
    this.#stream?.enqueue(bytes);
  }

  end(): void {
    this.#stream?.close();
  }

  fail(error: unknown): void {
    this.#reject(error);
    this.#stream?.error(error);
  }
}
