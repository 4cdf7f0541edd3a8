import { relative } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, type TestContext } from 'vitest';
import { askServer, findServer } from './ask-server.js';

// The setup file for `setupFiles: 'tabularium/vitest/marks'`: each test names itself, so the journal and the findings of the
// coach say which test they are about. Between tests, the name is that of the file. A server has one mark, so tests that
// run at the same time get the marks of each other.

const server = await findServer();

beforeAll(() => mark(fileName()));
beforeEach(({ task }) => mark(nameOf(task)));
afterEach(() => mark(fileName()));

function fileName(): string {
  return relative('', expect.getState().testPath ?? '').replaceAll('\\', '/');
}

/** Returns the name of a test, as `visits.spec.ts > Visits > counts every visit`. */
function nameOf(test: TestContext['task']): string {
  const names: string[] = [];
  for (let task: { name: string; suite?: typeof task | undefined } | undefined = test; task; task = task.suite) {
    names.unshift(task.name);
  }
  return [fileName(), ...names].join(' > ');
}

/** Sets the mark. Errors: Error for a server that has none, or does not allow it. */
async function mark(name: string): Promise<void> {
  await askServer(server, { method: 'POST', path: '/marks', body: { name } });
}
