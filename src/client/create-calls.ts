import { methodOf, type VerbRow } from '../verbs/verb-row.js';
import type { ServerCalls } from './calls.js';
import { readValues } from './read-lines.js';

type Method = (...given: readonly unknown[]) => Promise<unknown>;

/**
 * Returns the methods that verbs describe, as `calls.ts` types them. `call` gets the verb and all of its fields, and returns its
 * answer, the text of its lines, or its file.
 */
export function createCalls<Row extends VerbRow>(
  rows: readonly Row[],
  call: (row: Row, asked: object) => Promise<unknown>,
): ServerCalls {
  const calls: Record<string, Method & Record<string, Method>> = {};
  for (const row of rows) {
    const [noun, name] = methodOf(row);
    const method = createMethod(row, call);
    // A verb may be a noun, too: `undo()` and `undo.list()`.
    const found = name === undefined ? [method, calls[noun]] : [calls[noun] ?? {}, { [name]: method }];
    calls[noun] = Object.assign(...(found as [Method, Record<string, Method>]));
  }
  return calls as unknown as ServerCalls;
}

/** Returns the method of a verb: it takes the words of the verb, then an object with its other fields. */
function createMethod<Row extends VerbRow>(row: Row, call: (row: Row, asked: object) => Promise<unknown>): Method {
  const { words = [], lists, sends } = row;
  return async (...given) => {
    const named = Object.fromEntries(words.map((word, at) => [word, given[at]]));
    const answer = await call(row, { ...(given[words.length] ?? {}), ...named });
    if (sends === 'lines') return readValues(answer as AsyncIterable<string>);
    return lists === undefined ? answer : (answer as Readonly<Record<string, unknown>>)[lists];
  };
}
