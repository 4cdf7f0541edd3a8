import { signal } from '@preact/signals';
import type { ServerCalls } from '../../client/calls.js';
import { createCalls } from '../../client/create-calls.js';
import { requestOf } from '../../client/request-of.js';
import { rows } from '../../client/rows.js';
import type { VerbRow } from '../../verbs/verb-row.js';
import { reach } from './connection.js';

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

/** Looks up a request in the journal. Returns undefined if it is not there. Errors: as `fetchVerb`. */
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

// The token goes out of the address, so that it is not copied with the address.
const [, addressToken] = /^#token=(.+)$/.exec(location.hash) ?? [];
if (addressToken !== undefined) {
  keepToken(decodeToken(addressToken));
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

/** The verbs of the server, as methods: `server.snapshots.create('base')`. Errors: as `fetchVerb`. */
export const server = serverUntil(undefined);

/** Returns the same methods; their calls end when the signal is aborted. */
export function serverUntil(signal: AbortSignal | undefined): ServerCalls {
  return createCalls(rows, async (row, options) => {
    const answer = await fetchRow(row, options, { signal });
    return row.sends === 'lines' ? textOf(answer) : row.sends === 'file' ? answer.body : answer.json();
  });
}

/**
 * Calls a verb by its name, with the file that it takes. Returns the answer itself, for files and whole objects. Errors: ControlError
 * with the message of the server; Unreachable.
 */
export async function fetchVerb(name: string, options: object = {}, file?: Blob): Promise<Response> {
  const row = rows.find((one) => one.name === name);
  if (!row) throw new Error(`There is no verb ${name}.`);
  return fetchRow(row, options, { file });
}

async function fetchRow(
  row: VerbRow,
  options: object,
  { signal, file }: { readonly signal?: AbortSignal | undefined; readonly file?: Blob | undefined },
): Promise<Response> {
  const { method, path, body } = requestOf(row, options);
  const sent = file ?? (body && JSON.stringify(body));
  const token = sessionStorage.getItem(tokenKey);
  const answer = await reach(`${controlRoot}${path}`, {
    method,
    headers: {
      ...ownHeaders,
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(sent !== undefined && { 'Content-Type': file?.type ?? 'application/json' }),
    },
    ...(sent !== undefined && { body: sent }),
    ...(signal && { signal }),
  });
  if (answer.ok) return answer;
  if (answer.status === 401) needsToken.value = true;
  throw new ControlError(answer.status, await wordsOf(answer));
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
