/** How this program is run: from a clone, as long as it is not published. Publishing makes it `npx tabularium`. */
export const ownProgram = 'node dist/main.js';

/** Returns a command line to copy. `server` is the root of the server that it acts on; absent for one that needs no server. */
export function commandLine(words: string, server?: string): string {
  return `${ownProgram} ${words}${server === undefined ? '' : ` --url ${server}`}`;
}
