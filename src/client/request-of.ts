import { type Method, routeOf, type VerbRow } from '../verbs/verb-row.js';

/** The HTTP request of a call. */
export interface VerbRequest {
  readonly method: Method;
  /** The path below `/_tabularium`, with its query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
}

/**
 * Returns the request for a verb. Fields named in the path go there; the others form the query of a GET, a DELETE or an upload, and
 * otherwise the JSON body.
 */
export function requestOf(row: Pick<VerbRow, 'http' | 'uploads'>, input: object): VerbRequest {
  const [method, pattern] = routeOf(row);
  const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
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
