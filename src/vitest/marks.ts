import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { relative } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, inject, type TestContext } from 'vitest';
import type { ProvidedTabularium } from '../vitest.js';

// The setup file for `setupFiles: 'tabularium/vitest/marks'`: each test names itself, so the journal and the findings of the
// coach say which test they are about. Between tests, the name is that of the file. A server has one mark, so tests that
// run at the same time get the marks of each other.

/** The server of the global setup, or the one that `tabularium exec` puts into the environment. */
const server = findServer();

beforeAll(() => mark(fileName()));
beforeEach(({ task }) => mark(nameOf(task)));
afterEach(() => mark(fileName()));

function findServer(): Omit<ProvidedTabularium, 'connectionString'> {
  // Vitest types what the global setup provides as always there.
  const provided: ProvidedTabularium | undefined = inject('tabularium');
  if (provided) return provided;
  const endpoint = /TableEndpoint=([^;]+)/.exec(process.env['AZURE_STORAGE_CONNECTION_STRING'] ?? '')?.[1];
  if (endpoint === undefined) {
    throw new Error("There is no server for marks. Add globalSetup: 'tabularium/vitest', or run tabularium exec.");
  }
  return { endpoint, adminToken: process.env['TABULARIUM_ADMIN_TOKEN'] };
}

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
function mark(name: string): Promise<void> {
  const { endpoint, certificate, adminToken } = server;
  const headers = {
    'Content-Type': 'application/json',
    ...(adminToken !== undefined && { Authorization: `Bearer ${adminToken}` }),
  };
  const url = new URL('/_tabularium/marks', endpoint);
  const options = { method: 'POST', headers, ...(certificate !== undefined && { ca: certificate }) };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, (answer) => {
      answer.resume();
      if (answer.statusCode === 200) answer.on('end', resolve);
      else reject(new Error(`A test could not be marked: ${url} answers ${answer.statusCode}.`));
    });
    request.on('error', reject).end(JSON.stringify({ name }));
  });
}
