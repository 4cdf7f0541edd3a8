import { methodOf, type VerbRow } from '../verbs/verb-row.js';
import type { ServerCalls } from './calls.js';
import { readValues } from './read-lines.js';

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/**
 * Creates the methods of the verbs, with the types of `calls.ts`. `call` receives the verb and all of its fields, and returns its
 * answer, the text of its lines, or its file.
 */
export function createCalls<Row extends VerbRow>(
  rows: readonly Row[],
  call: (row: Row, input: object) => Promise<unknown>,
): ServerCalls {
  const calls: Record<string, Method & Record<string, Method>> = {};
  for (const row of rows) {
    const [noun, name] = methodOf(row);
    const method = createMethod(row, call);
    // A noun may itself be a method: `undo()` and `undo.list()`.
    const parts = name === undefined ? [method, calls[noun]] : [calls[noun] ?? {}, { [name]: method }];
    calls[noun] = Object.assign(...(parts as [Method, Record<string, Method>]));
  }
  return calls as unknown as ServerCalls;
}

/** Creates the method of a verb: it takes the positional arguments, then an object with the other fields. */
function createMethod<Row extends VerbRow>(row: Row, call: (row: Row, input: object) => Promise<unknown>): Method {
  const { words = [], lists, sends } = row;
  return async (...args) => {
    const named = Object.fromEntries(words.map((word, at) => [word, args[at]]));
    const answer = await call(row, { ...(args[words.length] ?? {}), ...named });
    if (sends === 'lines') return readValues(answer as AsyncIterable<string>);
    return lists === undefined ? answer : (answer as Readonly<Record<string, unknown>>)[lists];
  };
}
