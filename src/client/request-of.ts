import { type Method, routeOf, type VerbRow } from '../verbs/verb-row.js';

/** A request for a verb: where it goes below the root of the control endpoints, and what it sends. */
export interface VerbRequest {
  readonly method: Method;
  /** The path below `/_tabularium`, with its query. */
  readonly path: string;
  /** Is sent as JSON. */
  readonly body?: object;
}

/**
 * Returns the request for a verb. Fields that the path names in braces go there; the others are the query of a GET or a DELETE, and
 * the JSON body otherwise. If the body is a file, all are the query.
 */
export function requestOf(row: Pick<VerbRow, 'http' | 'uploads'>, asked: object): VerbRequest {
  const [method, pattern] = routeOf(row);
  const fields = new Map(Object.entries(asked).filter(([, value]) => value !== undefined));
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(fields.get(name));
    fields.delete(name);
    return encodeURIComponent(value);
  });
  if (!row.uploads && (method === 'POST' || method === 'PUT'))
    return { method, path, body: Object.fromEntries(fields) };
  const query = new URLSearchParams();
  for (const [name, value] of fields) query.set(name, String(value));
  return { method, path: query.size === 0 ? path : `${path}?${query}` };
}
