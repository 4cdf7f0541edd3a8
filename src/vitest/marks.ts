import { relative } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { askServer, findServer } from './ask-server.js';
import { testName } from './test-name.js';

// The setup file for `setupFiles: 'tabularium/vitest/marks'`: sets the name of each test as the mark, so that the journal and the
// findings of the coach refer to it. Between tests, the mark is the name of the file. A server has a single mark, so parallel tests
// overwrite each other's; a branch has one of its own.

const server = await findServer();

beforeAll(() => mark(fileName()));
beforeEach(({ task }) => mark(testName(task, fileName())));
afterEach(() => mark(fileName()));

function fileName(): string {
  return relative('', expect.getState().testPath ?? '').replaceAll('\\', '/');
}

/** Errors: Error if the server has no journal or rejects the request. */
async function mark(name: string): Promise<void> {
  await askServer(server, { method: 'POST', path: '/marks', body: { name } });
}
