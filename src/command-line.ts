/** The command that runs this program: from a clone until it is published, then `npx tabularium`. */
export const ownProgram = 'node dist/main.js';

/** Returns a command line to copy. `server` is the URL of its server, if it needs one. */
export function commandLine(words: string, server?: string): string {
  return `${ownProgram} ${words}${server === undefined ? '' : ` --url ${server}`}`;
}
