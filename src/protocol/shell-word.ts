/**
 * Returns a text as one word of a POSIX shell. Every command line that a person may copy quotes texts of requests with it,
 * because a link or a client decides what they contain.
 *
 * Source: POSIX, Quoting.
 */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
