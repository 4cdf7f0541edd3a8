import { relative } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, type TestContext } from 'vitest';
import { askServer, findServer } from './ask-server.js';

// The setup file for `setupFiles: 'tabularium/vitest/marks'`: sets the name of each test as the mark, so that the journal and the
// findings of the coach refer to it. Between tests, the mark is the name of the file. A server has a single mark, so parallel tests
// overwrite each other's.

const server = await findServer();

beforeAll(() => mark(fileName()));
beforeEach(({ task }) => mark(nameOf(task)));
afterEach(() => mark(fileName()));

function fileName(): string {
  return relative('', expect.getState().testPath ?? '').replaceAll('\\', '/');
}

/** Returns the full name of a test: `visits.spec.ts > Visits > counts every visit`. */
function nameOf(test: TestContext['task']): string {
  const names: string[] = [];
  for (let task: { name: string; suite?: typeof task | undefined } | undefined = test; task; task = task.suite) {
    names.unshift(task.name);
  }
  return [fileName(), ...names].join(' > ');
}

/** Errors: Error if the server has no journal or rejects the request. */
async function mark(name: string): Promise<void> {
  await askServer(server, { method: 'POST', path: '/marks', body: { name } });
}
