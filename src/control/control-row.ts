import type { Readable } from 'node:stream';
import type { HeaderFields } from '../protocol/header-fields.js';

/** A request to a control row. A call within the process has neither `root`, `port`, `headers` nor `gone`. */
export interface ControlRequest {
  /** The path, without the trailing slash of the page. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The path segments that the row names in braces. */
  readonly params: Readonly<Record<string, string>>;
  /** The scheme and host by which the client reached the server. */
  readonly root?: string | undefined;
  /** The local port of the connection, which may differ from the one in `root`. */
  readonly port?: number | undefined;
  readonly headers?: HeaderFields;
  /** Aborts when the response has been sent or the client has disconnected. */
  readonly gone?: AbortSignal;
  /** Absent for a call within the process, which may do everything. */
  readonly right?: CallerRight | undefined;
  /** A parsed JSON value or the stream of an upload, depending on the row; undefined if it takes none. */
  readonly body: unknown;
}

/** The rights of a caller of the control endpoints. */
export type CallerRight = 'all' | 'read';

/** The response of a control row. Strings and bytes are sent with their length, streams in chunks. */
export interface ControlAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array | Readable;
  readonly headers?: Readonly<Partial<Record<ControlHeader, string>>>;
}

/** Headers besides type, length and `X-Content-Type-Options: nosniff`. `Cache-Control` is `no-store` by default. */
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

/** A control endpoint: its route, its input and its handler. */
export interface ControlRow {
  /** GET includes HEAD, except with `rejectsHead`. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /**
   * The whole path. A segment in braces, such as `{id}`, matches any non-empty segment. A final `/*` matches every longer path,
   * except one with an empty segment in place of the star.
   */
  readonly path: string;
  /** A description, shown to clients that request an unknown path. */
  readonly purpose: string;
  /** Whether it takes a query, which it checks itself. */
  readonly takesQuery?: true;
  /** The query field that is positional on the command line, such as `id` in `why ID`. */
  readonly namelessField?: string;
  /** The kind of its body; absent if it takes none. */
  readonly takes?: 'json' | 'upload';
  /** Whether HEAD is rejected, because the response is costly and its head is useless. */
  readonly rejectsHead?: true;
  /** Whether it needs no token, only an allowed host. */
  readonly isOpen?: true;
  /** Whether an open row rejects web pages of other origins, even with valid credentials. */
  readonly rejectsPages?: true;
  /** Whether a read-only token suffices despite the method. */
  readonly isForReaders?: true;
  /** Serves only clients that explicitly accept this type; others get the list of paths. */
  readonly onlyAs?: 'text/html';
  run(request: ControlRequest): ControlAnswer | Promise<ControlAnswer>;
}

/** The content type of lines of JSON. */
export const ndjson = 'application/x-ndjson; charset=utf-8';

/** Creates a response with a JSON value and a final line feed. */
export function answerJson(status: number, value: object, headers?: ControlAnswer['headers']): ControlAnswer {
  return {
    status,
    contentType: 'application/json; charset=utf-8',
    body: `${JSON.stringify(value)}\n`,
    ...(headers && { headers }),
  };
}

/** A row that matches a path, with the segments that it names. */
interface RowMatch {
  readonly row: ControlRow;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Returns the row for a method and path; a literal path takes precedence. We do not use Fastify's router (find-my-way 9.10): it
 * matches an empty segment, decodes named segments, ends a path at `#` and rejects malformed escapes, and we would have to guard
 * against each. It takes 0.2 µs instead of 16, which no client notices, but would add 5 ms to each start.
 */
export function findRow(rows: readonly ControlRow[], method: string, path: string): RowMatch | undefined {
  const matches = rowsAt(rows, path).filter(({ row }) => methodsOf(row).includes(method));
  return matches.find(({ row }) => row.path === path) ?? matches[0];
}

/** Returns the methods of a path for an `Allow` header; empty for an unknown path. */
export function methodsAt(rows: readonly ControlRow[], path: string): readonly string[] {
  return rowsAt(rows, path).flatMap(({ row }) => methodsOf(row));
}

function methodsOf({ method, rejectsHead }: ControlRow): readonly string[] {
  return method === 'GET' && !rejectsHead ? ['GET', 'HEAD'] : [method];
}

function rowsAt(rows: readonly ControlRow[], path: string): readonly RowMatch[] {
  const parts = path.split('/');
  return rows.flatMap((row) => {
    const params = paramsOf(row.path.split('/'), parts);
    return params ? [{ row, params }] : [];
  });
}

/** Returns the segments that a row names; undefined if the path does not match. */
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

/** Decodes a segment; returns it unchanged if it is malformed, since no name matches it then. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
