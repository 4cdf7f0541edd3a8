/** The methods of rows: GET reads, POST acts, PUT creates a named resource, DELETE deletes it. */
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The part of a verb that clients need to call it. */
export interface VerbRow {
  /** The command, as in `snapshot create`. The library calls it `snapshots.create`. */
  readonly name: string;
  /** Method and path below `/_tabularium`. A name in braces is a field; the other fields form the query or the JSON body. */
  readonly http: `${Method} /${string}`;
  /** The positional arguments of the command and the library, in order. */
  readonly words?: readonly string[];
  /** The field of the answer that the library returns on its own. */
  readonly lists?: string;
  /** Streams lines of JSON, or a file. Absent: sends one JSON value. */
  readonly sends?: 'lines' | 'file';
  /** Takes a file as the request body; all fields are then in the query. */
  readonly uploads?: true;
}

/** Splits `http` of a verb. */
export function routeOf({ http }: Pick<VerbRow, 'http'>): readonly [method: Method, path: string] {
  const [method = '', path = ''] = http.split(' ');
  return [method as Method, path];
}

/**
 * Returns the library's name for a verb: a method, or a noun and its method. The noun comes from the path, as in `snapshots` for
 * `snapshot create`, and for a noun of several words.
 */
export function methodOf(verb: Pick<VerbRow, 'name' | 'http'>): readonly [noun: string, method?: string] {
  const [noun = '', method] = verb.name.split(' ');
  const [, first = ''] = routeOf(verb)[1].split('/');
  if (method !== undefined) return [first, method];
  return [noun.includes('-') ? first.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) : noun];
}
