import { signal } from '@preact/signals';
import type { ServerCalls } from '../../client/calls.js';
import { createCalls } from '../../client/create-calls.js';
import { requestOf } from '../../client/request-of.js';
import { rows } from '../../client/rows.js';
import type { VerbRow } from '../../verbs/verb-row.js';
import { reach } from './connection.js';

/** A request to the control endpoints. */
export interface ControlQuestion {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The server rejected a control request. The message is the server's. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Whether the server answered a control request with 404: the item does not exist, or there is no journal. */
export function isMissing(error: unknown): boolean {
  return error instanceof ControlError && error.status === 404;
}

/** Maximum number of lookups in the journal. (Our choice: a request is recorded just after its answer.) */
const triesMax = 5;

/** Looks up a request in the journal. Returns undefined if it is not there. Errors: as `fetchControl`. */
export async function askJournal<Answer>(ask: () => Promise<Answer>, tries = triesMax): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!isMissing(error)) throw error;
    return tries > 1 ? askJournal(ask, tries - 1) : undefined;
  }
}

const controlRoot = '/_tabularium';

/** Identifies this page to the server, which hides its requests in the journal and excludes them from the coach. */
export const ownHeaders = { 'x-tabularium-client': 'explorer' } as const;

/** Whether the server requires a token that the page does not have. */
export const needsToken = signal(false);

const tokenKey = 'tabularium.token';

/** Keeps the token from the user or the fragment until the browser tab is closed. */
export function keepToken(token: string): void {
  sessionStorage.setItem(tokenKey, token);
}

/** Moves the token out of the address, so that it is not copied with the address. */
function takeTokenOfAddress(): void {
  const [, token] = /^#token=(.+)$/.exec(location.hash) ?? [];
  if (token === undefined) return;
  keepToken(decodeToken(token));
  history.replaceState(null, '', location.pathname);
}

/** Returns the token of a fragment. A token that contains `%` itself is returned unchanged. */
function decodeToken(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

takeTokenOfAddress();

/**
 * Calls a control endpoint; `path` is below `/_tabularium`. Returns the answer itself, for streams and files. Errors: ControlError
 * with the message of the server; Unreachable.
 */
async function fetchControl(path: string, { method = 'GET', body, signal }: ControlQuestion = {}): Promise<Response> {
  const hasBody = method !== 'GET';
  const answer = await reach(`${controlRoot}${path}`, {
    method,
    headers: {
      ...ownHeaders,
      ...tokenHeader(),
      ...(hasBody && { 'Content-Type': 'application/json' }),
    },
    ...(hasBody && { body: JSON.stringify(body ?? {}) }),
    ...(signal && { signal }),
  });
  return checked(answer);
}

/** The verbs of the server, as methods: `server.snapshots.create('base')`. Errors: as `fetchControl`. */
export const server = serverUntil(undefined);

/** Returns the same methods; their calls end when the signal is aborted. */
export function serverUntil(signal: AbortSignal | undefined): ServerCalls {
  return createCalls(rows, async (row, options) => {
    const answer = await fetchRow(row, options, signal);
    return row.sends === 'lines' ? textOf(answer) : row.sends === 'file' ? answer.body : answer.json();
  });
}

/** Calls a verb by its name. Returns the answer itself, for files and whole objects. Errors: as `fetchControl`. */
export async function fetchVerb(name: string, options: object = {}, signal?: AbortSignal): Promise<Response> {
  return fetchRow(rowNamed(name), options, signal);
}

/** Sends a file to a verb. Returns the answer, which may be streamed. Errors: as `fetchVerb`. */
export async function uploadVerb(name: string, options: object, file: Blob, contentType: string): Promise<Response> {
  const { method, path } = requestOf(rowNamed(name), options);
  return checked(
    await reach(`${controlRoot}${path}`, {
      method,
      headers: { ...ownHeaders, ...tokenHeader(), 'Content-Type': contentType },
      body: file,
    }),
  );
}

function rowNamed(name: string): VerbRow {
  const row = rows.find((one) => one.name === name);
  if (!row) throw new Error(`There is no verb ${name}.`);
  return row;
}

function fetchRow(row: VerbRow, options: object, signal: AbortSignal | undefined): Promise<Response> {
  const { path, ...question } = requestOf(row, options);
  return fetchControl(path, { ...question, signal });
}

/** Yields the text of an answer as it arrives. */
export async function* textOf({ body }: Response): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
}

async function checked(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  if (answer.status === 401) needsToken.value = true;
  throw new ControlError(answer.status, await wordsOf(answer));
}

function tokenHeader(): { readonly Authorization?: string } {
  const token = sessionStorage.getItem(tokenKey);
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

async function wordsOf(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    const { error } = JSON.parse(text);
    if (typeof error === 'string') return error;
  } catch {
    // A proxy answers in its own words.
  }
  return `The server answered with status ${answer.status}.`;
}

/** Has the browser save an answer as a file. */
export async function saveAnswer(answer: Response, name: string): Promise<void> {
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
