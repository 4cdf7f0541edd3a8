import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { targetOf } from '../address/request-target.js';
import { nearestName } from '../nearest-name.js';
import { ClientGone } from '../service/stages.js';
import { RejectedCall } from '../verbs/verb.js';
import { schemeOf } from '../wire/connections/connection.js';
import { decodeBody, readBody } from '../wire/read-body.js';
import { controlMark, controlRoot, type ReservedEndpoints, type ReservedRequest } from '../wire/reserved-endpoints.js';
import {
  answerJson,
  type CallerRight,
  type ControlAnswer,
  type ControlRow,
  findRow,
  methodsAt,
} from './control-row.js';
import type { Guard } from './guard.js';
import { rejectionOf } from './verbs/call-verb.js';

/** Largest body of a command. Unit: bytes. (Our choice: commands are short; files are uploads.) */
const commandBytesMax = 64 * 1024;

/** Serves requests below `/_tabularium`: first the guard, then the matching row. */
export class Control implements ReservedEndpoints {
  readonly #rows: readonly ControlRow[];
  readonly #guard: Guard;
  readonly #report: (error: unknown) => void;
  readonly #rightOf: (request: ReservedRequest) => CallerRight | undefined;

  /**
   * `report` receives unexpected errors of rows. `rightOf` returns the rights of a caller; by default, every caller that passes the
   * guard has all of them.
   */
  constructor(
    rows: readonly ControlRow[],
    guard: Guard,
    report: (error: unknown) => void,
    rightOf: (request: ReservedRequest) => CallerRight | undefined = () => 'all',
  ) {
    this.#rows = rows;
    this.#guard = guard;
    this.#report = report;
    this.#rightOf = rightOf;
  }

  async answer(request: ReservedRequest, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    await send(request, response, await this.#answer(request, gone.signal));
  }

  async #answer(request: ReservedRequest, gone: AbortSignal): Promise<ControlAnswer> {
    const [path, query] = splitTarget(request.url ?? '');
    const { row, params = {} } = findRow(this.#rows, request.method ?? '', path) ?? {};
    const rejection = this.#guard(request, row);
    if (rejection) return rejection;
    const { headers } = request;
    if (!row || (row.onlyAs && !headers.accept?.includes(row.onlyAs))) return this.#reject(request.method ?? '', path);
    try {
      const fields = new URLSearchParams(query);
      // Browsers and monitors add their own parameters to the page, health and metrics.
      const [stray] = row.isOpen || row.takesQuery ? [] : fields.keys();
      if (stray !== undefined) throw new RejectedCall(400, `There is no '${stray}' here. It takes no query.`);
      const root = headers.host === undefined ? undefined : `${schemeOf(request)}://${headers.host}`;
      const port = request.socket.localPort;
      const right = this.#rightOf(request);
      const body = await bodyOf(request, row);
      return await row.run({ path, query: fields, params, root, port, headers, gone, right, body });
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** Responds to a failed call with the reason, even an unexpected one, because the caller may not see the server's log. */
  #fail(error: unknown): ControlAnswer {
    const rejection = rejectionOf(error);
    if (rejection) return answerJson(rejection.status, { error: rejection.message, ...rejection.details });
    // A caller that disconnected before sending its body is not a fault.
    if (!(error instanceof ClientGone)) this.#report(error);
    const reason = error instanceof Error ? error.message : 'an unknown error';
    return answerJson(500, { error: `The server could not do this: ${reason}` });
  }

  /** Responds to a request without a matching row with the list of paths. */
  #reject(method: string, path: string): ControlAnswer {
    const methods = methodsAt(
      this.#rows.filter(({ onlyAs }) => onlyAs === undefined),
      path,
    );
    const paths = Object.fromEntries(this.#rows.map((row) => [nameOf(row), row.purpose]));
    if (methods.length === 0) {
      return answerJson(404, { error: `There is nothing at ${path}.${this.#hintAt(path)}`, paths });
    }
    const isReadOnly = methods.every((one) => one === 'GET' || one === 'HEAD');
    const error = isReadOnly ? 'This can only be read; use GET.' : `Use ${methods.join(' or ')}.`;
    return answerJson(405, { error: `${error}${this.#hintBelow(method, path)}`, paths }, { Allow: methods.join(', ') });
  }

  /** Suggests the row for a named resource below the path, with the same method or, for a POST, with PUT. */
  #hintBelow(method: string, path: string): string {
    const rows = this.#rows.filter((row) => row.path.startsWith(`${path}/{`) && row.path.endsWith('}'));
    const near =
      rows.find((row) => row.method === method) ?? rows.find((row) => method === 'POST' && row.method === 'PUT');
    return near ? ` Did you mean ${nameOf(near)}?` : '';
  }

  #hintAt(path: string): string {
    if (this.#rows.every(({ isOpen }) => isOpen)) return ' The server was started with --admin off.';
    if (path.endsWith('/')) return ' It ends where a name or an id is missing.';
    const parts = path.split('/');
    const parent = this.#rows.find(
      (row) => row.namelessField !== undefined && row.path === parts.slice(0, -1).join('/'),
    );
    if (parent) return ` Did you mean ${parent.path}?${parent.namelessField}=${parts.at(-1)}?`;
    const below = (whole: string) => whole.slice(controlRoot.length);
    const rows = this.#rows.filter(({ onlyAs }) => onlyAs === undefined);
    const names = rows.map((row) => below(withNames(row.path, parts)));
    const near = nearestName(below(path), names);
    return near === undefined ? '' : ` Did you mean ${controlRoot}${near}?`;
  }
}

/** Fills in the segments of a request for those in braces. */
function withNames(path: string, parts: readonly string[]): string {
  const named = path.split('/');
  return named.map((part, at) => (part.startsWith('{') ? (parts[at] ?? part) : part)).join('/');
}

function nameOf({ method, path }: ControlRow): string {
  return method === 'GET' ? path : `${method} ${path}`;
}

/** Reads the body for a row. Errors: RejectedCall if it is not JSON; TableError if it is too large. */
async function bodyOf(request: ReservedRequest, { takes }: ControlRow): Promise<unknown> {
  if (takes === 'upload') return request;
  if (takes === undefined) return undefined;
  const text = decodeBody(await readBody(request, commandBytesMax), 'InvalidInput');
  try {
    return JSON.parse(text);
  } catch {
    throw new RejectedCall(
      400,
      text === '' ? 'The body is empty. Send a JSON object, such as {}.' : 'The body is not JSON.',
    );
  }
}

async function send(request: ReservedRequest, response: ServerResponse, answer: ControlAnswer): Promise<void> {
  const { status, contentType, body, headers } = answer;
  const isSized = typeof body === 'string' || body instanceof Uint8Array;
  response.writeHead(status, {
    'Content-Type': contentType,
    ...(isSized && { 'Content-Length': Buffer.byteLength(body) }),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    [controlMark]: 'control',
    ...headers,
  });
  if (request.method === 'HEAD') {
    if (!isSized) body.destroy();
    response.end();
  } else if (isSized) response.end(body);
  else {
    // A stream may stay silent for a long time while its client waits for the head.
    response.flushHeaders();
    await pipeline(body, response).catch(endCutOff);
  }
}

/** Ignores clients that disconnect during a stream. */
function endCutOff(error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}

/** Splits a request target into path and query. Removes the trailing slash of the page, the only path that may have one. */
function splitTarget(url: string): readonly [path: string, query: string] {
  const target = targetOf(url);
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  return [path === `${controlRoot}/` ? controlRoot : path, at < 0 ? '' : target.slice(at + 1)];
}
