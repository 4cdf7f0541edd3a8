/** The methods of rows: GET reads, POST acts, PUT creates what its caller names, DELETE deletes it. */
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** How a verb is called: all that a client needs to know of it. */
export interface VerbRow {
  /** The words of the command, as `snapshot create`. The library calls it `snapshots.create`. */
  readonly name: string;
  /** The row below `/_tabularium`. A name in braces is a field; the other fields are the query of a GET or a JSON body. */
  readonly http: `${Method} /${string}`;
  /** The fields that the command and the library take without a name, in this order. */
  readonly words?: readonly string[];
  /** The field of the answer that the library returns alone. */
  readonly lists?: string;
  /** That it answers with a stream: lines of JSON, or a file. Absent: it answers with one JSON value. */
  readonly sends?: 'lines' | 'file';
  /** That it takes a file, which is the body of its request; its fields are the query then. */
  readonly uploads?: true;
}

/** Returns method and path of a verb. */
export function routeOf({ http }: Pick<VerbRow, 'http'>): readonly [method: Method, path: string] {
  const [method = '', path = ''] = http.split(' ');
  return [method as Method, path];
}

/**
 * Returns how the library calls a verb: the method, or the noun and its method. The noun is that of the path, as `snapshots` for
 * `snapshot create`.
 */
export function methodOf(verb: Pick<VerbRow, 'name' | 'http'>): readonly [noun: string, method?: string] {
  const [noun = '', method] = verb.name.split(' ');
  const [, first = ''] = routeOf(verb)[1].split('/');
  return method === undefined ? [noun] : [first, method];
}
