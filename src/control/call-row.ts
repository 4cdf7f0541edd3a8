import { controlRoot } from '../wire/reserved-endpoints.js';
import { checkQuery } from './check-query.js';
import { type ControlAnswer, type ControlRequest, type ControlRow, findRow, ndjson } from './control-row.js';
import { refusalOf } from './refusal-of.js';

/** A control row refused a call. The message says why. */
export class ControlRefusal extends Error {
  override readonly name = 'ControlRefusal';
  /** The status that a client would get. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** A call of a control row by the program that the server runs in. */
export interface ControlCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below `controlRoot`. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** A JSON value, for a row that takes one. */
  readonly body?: object;
}

/** Calls the rows of a server without HTTP, and so without the guard. Returns the JSON value, or a list of those on lines. */
export type CallControl = (call: ControlCall) => Promise<unknown>;

/** Runs a row. Errors: ControlRefusal. */
async function runRow(row: ControlRow, request: ControlRequest): Promise<ControlAnswer> {
  try {
    checkQuery(row, request.query);
    return await row.run(request);
  } catch (error) {
    const refusal = refusalOf(error);
    throw refusal ? new ControlRefusal(refusal.message, refusal.status) : error;
  }
}

/** Returns the function that calls these rows. Errors: ControlRefusal, also if there is no such row. */
export function createCalls(rows: readonly ControlRow[]): CallControl {
  return async ({ method, path, query = new URLSearchParams(), body }) => {
    const whole = `${controlRoot}${path}`;
    const { row, params } = findRow(rows, method, whole) ?? {};
    if (!row || !params)
      throw new ControlRefusal(`There is nothing at ${whole}. A server with journal 0 has no journal and coach.`, 404);
    const answer = await runRow(row, { path: whole, query, params, body });
    const { status, contentType } = answer;
    const text = await textOf(answer);
    if (text === undefined) throw new ControlRefusal(`${whole} does not answer with one JSON value.`, 500);
    if (contentType === ndjson)
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    const value = JSON.parse(text);
    if (status !== 200) throw new ControlRefusal(value.error, status);
    return value;
  };
}

/** Returns the text of an answer; undefined for bytes. No call within the process asks for lines that have no end. */
async function textOf({ body }: ControlAnswer): Promise<string | undefined> {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return undefined;
  let text = '';
  for await (const piece of body.setEncoding('utf8')) text += piece;
  return text;
}
