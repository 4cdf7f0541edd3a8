import { controlRoot } from '../../wire/reserved-endpoints.js';
import type { ControlRow } from '../control-row.js';

/** The path of the files of the page. */
export const explorerRoot = `${controlRoot}/explorer`;

/**
 * The rows that serve the page for browsers. They need no token: the files are the same for everyone and contain no secret. The
 * page asks for a token before it asks for anything else. The files are read at the first request.
 */
export const explorerRows: readonly ControlRow[] = [
  {
    method: 'GET',
    path: controlRoot,
    purpose: 'a page for browsers',
    onlyAs: 'text/html',
    isOpen: true,
    run: async ({ headers }) => (await import('./explorer-files.js')).answerFile('index.html', headers),
  },
  {
    method: 'GET',
    path: `${explorerRoot}/*`,
    purpose: 'the files of the page for browsers',
    isOpen: true,
    run: async ({ path, headers }) =>
      (await import('./explorer-files.js')).answerFile(path.slice(explorerRoot.length + 1), headers),
  },
];
