import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { ProvidedTabularium } from '../vitest.js';

/** The server under test. */
export type TestServer = Omit<ProvidedTabularium, 'connectionString'>;

/** Returns the server of the global setup, or the one of TABULARIUM_URL, as in `tabularium exec`. Errors: Error. */
export async function findServer(): Promise<TestServer> {
  // Imported here, because the global setup also loads this module, and only tests can import Vitest 3.
  const { inject } = await import('vitest');
  // The types of Vitest claim that the provided value always exists.
  const provided: ProvidedTabularium | undefined = inject('tabularium');
  if (provided) return provided;
  // Not taken from a connection string, which may name an account in the cloud.
  const endpoint = process.env['TABULARIUM_URL'];
  if (endpoint === undefined || endpoint === '') {
    throw new Error(
      "There is no server for tests. Add globalSetup: 'tabularium/vitest', run the tests with exec, or set TABULARIUM_URL.",
    );
  }
  return { endpoint, adminToken: process.env['TABULARIUM_ADMIN_TOKEN'] };
}

/** A request to the control endpoints. */
export interface ServerQuestion {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path below `/_tabularium`. */
  readonly path: string;
  readonly body?: object;
  /** Whether to accept 404, because a branch may have expired. */
  readonly mayBeMissing?: true;
}

/** Sends a request to the control endpoints. Returns the JSON of the response. Errors: Error for another status or program. */
export async function askServer(
  { endpoint, certificate, adminToken }: TestServer,
  { method, path, body, mayBeMissing }: ServerQuestion,
): Promise<unknown> {
  const sent = body && JSON.stringify(body);
  const headers = {
    ...(sent !== undefined && {
      'Content-Type': 'application/json',
      // Node.js would send the body of a DELETE without a length, and the server would mistake it for the next request.
      'Content-Length': Buffer.byteLength(sent),
    }),
    ...(adminToken !== undefined && { Authorization: `Bearer ${adminToken}` }),
  };
  const url = new URL(`/_tabularium${path}`, endpoint);
  const options = { method, headers, ...(certificate !== undefined && { ca: certificate }) };
  const { answer, text } = await new Promise<{ answer: IncomingMessage; text: string }>((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, (answer) => {
      let received = '';
      answer
        .setEncoding('utf8')
        .on('data', (part) => {
          received += part;
        })
        .on('end', () => resolve({ answer, text: received }))
        .on('error', reject);
    });
    request.on('error', reject).end(sent);
  });
  const { statusCode: status, headers: fields } = answer;
  if (!('x-tabularium' in fields)) throw new Error(`The server at ${url.origin} is not Tabularium: status ${status}.`);
  if (status === 200 || (status === 404 && mayBeMissing)) return JSON.parse(text);
  throw new Error(`${url} answers ${status}: ${text.trim()}`);
}
