import { delimiter } from 'node:path';
import type { OptionRow } from './option-table.js';
import { readPaths, readText } from './read-value.js';

/** The settings of what a server loads at its start and exports at its end. */
export const startDataRows = {
  seed: {
    flags: '--seed <path>',
    help: `file or folder to load into an empty location, which resets go back to; may be repeated; in a variable between ${delimiter}`,
    read: readPaths,
    fallback: undefined,
    isRepeatable: true,
  },
  import: {
    flags: '--import <path>',
    help: 'file or folder to import once, into an empty location',
    read: readText,
    fallback: undefined,
  },
  exportOnExit: {
    flags: '--exportOnExit [path]',
    help: 'file or folder to export to when the server stops; without a path, that of --import',
    read: readText,
    fallback: undefined,
  },
} as const satisfies Record<string, OptionRow>;
