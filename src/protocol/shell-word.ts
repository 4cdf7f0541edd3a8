/**
 * Returns a text as one word of a POSIX shell. Every command line that a person may copy quotes texts of requests with it,
 * because their contents come from a link or a client.
 *
 * Source: POSIX, Quoting.
 */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
