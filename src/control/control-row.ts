import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** What a control row gets of a request. */
export interface ControlRequest {
  /** The path; that of the page without its final slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The scheme and the host by which the client reached the server; absent for a call within the process. */
  readonly root?: string | undefined;
  /** The port of this machine at which the request arrived, which the host need not name; absent for a call within the process. */
  readonly port?: number | undefined;
  /** The headers of the request; absent for a call within the process. */
  readonly headers?: IncomingHttpHeaders;
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
  /** Further headers. */
  readonly headers?: Readonly<Partial<Record<ControlHeader, string>>>;
}

/** Headers that a control answer may have beside type, length and `X-Content-Type-Options: nosniff`. `Cache-Control` is `no-store` by default. */
export type ControlHeader =
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

/** The names of a query. */
export interface RowQuery {
  /** Names with a value, which must not be blank. */
  readonly values?: readonly string[];
  /** Names that are there or not, or have `true` or `false`: see `isOn`. */
  readonly switches?: readonly string[];
}

/** One endpoint of the server itself: how it is called, what it takes, and its handler. */
export interface ControlRow {
  /** A row for GET also answers HEAD, unless it refuses that. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The whole path. One that ends in `/*` stands for every path below that has something in place of the star. */
  readonly path: string;
  /** What it is for: shown to a client that asks for an unknown path. */
  readonly purpose: string;
  /** The names that its query may have; absent if it may have none. */
  readonly query?: RowQuery;
  /** What it takes as its body; absent if it takes none. */
  readonly takes?: 'json' | 'upload';
  /** Whether HEAD is refused, because the answer costs much and its head tells nothing. */
  readonly refusesHead?: true;
  /** Whether every caller on an allowed host may ask, without a token. */
  readonly isOpen?: true;
  /** Whether an open row rejects requests of web pages of other origins, even if they could send what it asks for. */
  readonly refusesPages?: true;
  /** Whether a token that may only read suffices, although the method is one of a change. */
  readonly isForReaders?: true;
  /** Answers only a client that asks for this type by name; all others get the list of paths. */
  readonly onlyAs?: 'text/html';
  /** Answers one request that passed the guard. */
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

/** Returns the row that answers a method at a path, or undefined. */
export function findRow(rows: readonly ControlRow[], method: string, path: string): ControlRow | undefined {
  return rows.find((row) => isAt(row, path) && methodsOf(row).includes(method));
}

/** Returns the methods that a path has, as an `Allow` header lists them; empty for an unknown path. */
export function methodsAt(rows: readonly ControlRow[], path: string): readonly string[] {
  return rows.filter((row) => isAt(row, path)).flatMap(methodsOf);
}

function methodsOf({ method, refusesHead }: ControlRow): readonly string[] {
  return method === 'GET' && !refusesHead ? ['GET', 'HEAD'] : [method];
}

function isAt(row: ControlRow, path: string): boolean {
  if (!row.path.endsWith('/*')) return row.path === path;
  const root = row.path.slice(0, -1);
  return path.length > root.length && path.startsWith(root);
}
