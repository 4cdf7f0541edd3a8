import type { LogEntry, ServerCalls } from '../../client/calls.js';

/** How many rejected requests are kept. (Our choice: nobody reads more in a list.) */
const keptMax = 200;

/**
 * Returns whether a person should look at a rejected request. SDKs cause some on purpose: they create what may exist, delete and read
 * what may be missing, and write only if nobody else has.
 */
export function needsAttention({ Method, StatusCode, StatusText }: LogEntry): boolean {
  if (StatusCode === '412' || /AlreadyExists$/.test(StatusText)) return false;
  return !(StatusText === 'ResourceNotFound' && (Method === 'GET' || Method === 'DELETE'));
}

/** Returns the path of a request, with its query. */
export function addressOf({ Uri }: LogEntry): string {
  // Programs send what they like as a host: not everything is a URL.
  return Uri.replace(/^https?:\/\/[^/?]*/i, '');
}

/** The rejected requests of the server that is reached, the oldest first. */
export class RejectedRequests {
  #list: readonly LogEntry[] = [];
  /** The position of the last request that was read. */
  #last = 0;
  /** When the server was started whose requests these are. */
  #started = '';
  readonly #changed: (added?: LogEntry) => void;

  /** `changed` is called after each change, with the request that was added. */
  constructor(changed: (added?: LogEntry) => void) {
    this.#changed = changed;
  }

  get list(): readonly LogEntry[] {
    return this.#list;
  }

  /** Forgets the requests so far. */
  clear(): void {
    this.#list = [];
    this.#changed();
  }

  /** Begins with another server. */
  begin(): void {
    this.#last = 0;
    this.clear();
  }

  /**
   * Reads the rejected requests of a server that it still has and that were not read before, then each new one, until its stream ends.
   * Errors: those of the stream.
   */
  async follow(calls: ServerCalls): Promise<void> {
    const { started } = await calls.info();
    // The server of another window may have been started again: then it counts its requests from 1 again.
    if (started !== this.#started) this.begin();
    this.#started = started;
    for await (const line of await calls.requests.follow({ status: 'rejected', after: this.#last })) {
      if ('Dropped' in line) continue;
      this.#last = line.Seq;
      if (!needsAttention(line)) continue;
      this.#list = [...this.#list.slice(1 - keptMax), line];
      this.#changed(line);
    }
  }
}
