import type { Readable } from 'node:stream';
import type { HeaderFields } from '../protocol/header-fields.js';

/** What a control row gets of a request. */
export interface ControlRequest {
  /** The path; that of the page without its final slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The parts of the path that the row names in braces. */
  readonly params: Readonly<Record<string, string>>;
  /** The scheme and the host by which the client reached the server; absent for a call within the process. */
  readonly root?: string | undefined;
  /** The port of this machine at which the request arrived, which the host need not name; absent for a call within the process. */
  readonly port?: number | undefined;
  /** The headers of the request; absent for a call within the process. */
  readonly headers?: HeaderFields;
  /** Is aborted when the answer is sent, or when the client has left before; absent for a call within the process. */
  readonly gone?: AbortSignal;
  /** What the caller may do; absent for a call within the process, which may do everything. */
  readonly right?: CallerRight | undefined;
  /** The body as the row takes it: a parsed JSON value or the stream of an upload; undefined if it takes none. */
  readonly body: unknown;
}

/** What a caller of the control endpoints may do. */
export type CallerRight = 'all' | 'read';

/** What a control row answers. A text or bytes are sent with their length, a stream as it comes. */
export interface ControlAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array | Readable;
  readonly headers?: Readonly<Partial<Record<ControlHeader, string>>>;
}

/** Headers that a control answer may have beside type, length and `X-Content-Type-Options: nosniff`. `Cache-Control` is `no-store` by default. */
type ControlHeader =
  | 'Allow'
  | 'WWW-Authenticate'
  | 'Content-Disposition'
  | 'Content-Security-Policy'
  | 'Content-Encoding'
  | 'Cache-Control'
  | 'ETag'
  | 'Vary'
  | 'Referrer-Policy'
  | 'Cross-Origin-Opener-Policy'
  | 'Cross-Origin-Resource-Policy';

/** One endpoint of the server itself: how it is called, what it takes, and its handler. */
export interface ControlRow {
  /** A row for GET also answers HEAD, unless it rejects that. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /**
   * The whole path. A part in braces, as `{id}`, stands for anything but a slash and nothing. One that ends in `/*` stands for
   * every path below that has something in place of the star.
   */
  readonly path: string;
  /** What it is for: shown to a client that asks for an unknown path. */
  readonly purpose: string;
  /** Whether it may have a query, which it checks itself. */
  readonly takesQuery?: true;
  /** The field of its query that a command takes without a name, as `id` of `why ID`. */
  readonly namelessField?: string;
  /** What it takes as its body; absent if it takes none. */
  readonly takes?: 'json' | 'upload';
  /** Whether HEAD is rejected, because the answer costs much and its head tells nothing. */
  readonly rejectsHead?: true;
  /** Whether every caller on an allowed host may ask, without a token. */
  readonly isOpen?: true;
  /** Whether an open row rejects requests of web pages of other origins, even if they could send what it asks for. */
  readonly rejectsPages?: true;
  /** Whether a token that may only read suffices, although the method is one of a change. */
  readonly isForReaders?: true;
  /** Answers only a client that asks for this type by name; all others get the list of paths. */
  readonly onlyAs?: 'text/html';
  run(request: ControlRequest): ControlAnswer | Promise<ControlAnswer>;
}

/** The content type of answers with a JSON value on each line. */
export const ndjson = 'application/x-ndjson; charset=utf-8';

/** Returns an answer with a JSON value. */
export function answerJson(status: number, value: object, headers?: ControlAnswer['headers']): ControlAnswer {
  return {
    status,
    contentType: 'application/json; charset=utf-8',
    body: `${JSON.stringify(value)}\n`,
    ...(headers && { headers }),
  };
}

/** A row that answers a request, and the parts of the path that the row names. */
interface FoundRow {
  readonly row: ControlRow;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Returns the row that answers a method at a path. One that names the whole path comes before one with a part in braces.
 * Not Fastify's router (find-my-way 9.10): it takes an empty part for one in braces or for a star, decodes the parts that a row
 * names, ends a path at `#` and rejects one that cannot be decoded, so each of these would need a test of ours behind it. It
 * finds a row in 0.2 µs instead of 16, which no client of these rows can tell, and each start would pay 5 ms to build it.
 */
export function findRow(rows: readonly ControlRow[], method: string, path: string): FoundRow | undefined {
  const found = rowsAt(rows, path).filter(({ row }) => methodsOf(row).includes(method));
  return found.find(({ row }) => row.path === path) ?? found[0];
}

/** Returns the methods that a path has, as an `Allow` header lists them; empty for an unknown path. */
export function methodsAt(rows: readonly ControlRow[], path: string): readonly string[] {
  return rowsAt(rows, path).flatMap(({ row }) => methodsOf(row));
}

function methodsOf({ method, rejectsHead }: ControlRow): readonly string[] {
  return method === 'GET' && !rejectsHead ? ['GET', 'HEAD'] : [method];
}

function rowsAt(rows: readonly ControlRow[], path: string): readonly FoundRow[] {
  const parts = path.split('/');
  return rows.flatMap((row) => {
    const params = paramsOf(row.path.split('/'), parts);
    return params ? [{ row, params }] : [];
  });
}

/** Returns the parts of a path that a row names; undefined if it is not a path of the row. */
function paramsOf(named: readonly string[], parts: readonly string[]): Readonly<Record<string, string>> | undefined {
  const isOpen = named.at(-1) === '*';
  if (isOpen ? parts.length < named.length || parts[named.length - 1] === '' : parts.length !== named.length)
    return undefined;
  const params: Record<string, string> = {};
  for (const [at, name] of named.entries()) {
    const part = parts[at] ?? '';
    if (name.startsWith('{') && part !== '') params[name.slice(1, -1)] = decodePart(part);
    else if (name !== part && name !== '*') return undefined;
  }
  return params;
}

/** Returns a part as it was sent if it cannot be decoded: nothing has such a name. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
