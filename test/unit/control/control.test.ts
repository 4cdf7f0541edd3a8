import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Control } from '../../../src/control/control.js';
import { answerJson, type ControlRow } from '../../../src/control/control-row.js';

const rows: readonly ControlRow[] = [
  { method: 'GET', path: '/_tabularium/thing', purpose: 'reads it', run: () => answerJson(200, { read: true }) },
  {
    method: 'PUT',
    path: '/_tabularium/thing',
    purpose: 'writes it',
    takesQuery: true,
    takes: 'json',
    run: ({ body, query }) => answerJson(200, { body, q: query.get('q') }),
  },
  {
    method: 'POST',
    path: '/_tabularium/upload',
    purpose: 'takes a file',
    takes: 'upload',
    async run({ body }) {
      let bytes = 0;
      for await (const chunk of body as Readable) bytes += (chunk as Buffer).length;
      return answerJson(201, { bytes });
    },
  },
  {
    method: 'GET',
    path: '/_tabularium/failing',
    purpose: 'fails',
    run: () => Promise.reject(new Error('No space left on device')),
  },
  {
    method: 'GET',
    path: '/_tabularium/stream',
    purpose: 'answers bit by bit',
    run: () => ({ status: 200, contentType: 'text/plain', body: Readable.from(['one ', 'two']) }),
  },
  {
    method: 'GET',
    path: '/_tabularium/files/*',
    purpose: 'serves files',
    run: ({ path }) => ({ status: 200, contentType: 'text/plain', body: Buffer.from(path) }),
  },
];

describe('A control row', () => {
  const reported: unknown[] = [];
  const control = new Control(
    rows,
    ({ headers }: IncomingMessage) =>
      headers['x-rejected'] === undefined ? undefined : answerJson(403, { error: 'no' }),
    (error) => reported.push(error),
  );
  const server = createServer((incoming, response) => void control.answer(incoming, response));
  let url: string;
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/_tabularium`;
  });
  afterAll(() => void server.close());

  it('is found by method and path', async () => {
    expect(await (await fetch(`${url}/thing`)).json()).toEqual({ read: true });
  });

  it('gets the JSON value and the query of a request', async () => {
    const answer = await fetch(`${url}/thing?q=a%20b`, { method: 'PUT', body: '{"a":[1]}' });

    expect(await answer.json()).toEqual({ body: { a: [1] }, q: 'a b' });
  });

  it('rejects a body that is not JSON, or larger than 64 KiB', async () => {
    const malformed = await fetch(`${url}/thing`, { method: 'PUT', body: '{' });
    const empty = await fetch(`${url}/thing`, { method: 'PUT' });
    const large = await fetch(`${url}/thing`, { method: 'PUT', body: `"${'x'.repeat(64 * 1024)}"` });

    expect([malformed.status, await malformed.json()]).toEqual([400, { error: 'The body is not JSON.' }]);
    expect(await empty.json()).toEqual({ error: 'The body is empty. Send a JSON object, such as {}.' });
    expect(large.status).toBe(413);
  });

  it('rejects a body in chunks as soon as it is larger than 64 KiB', async () => {
    const sent = request(`${url}/thing`, { method: 'PUT', headers: { 'Content-Type': 'application/json' } });
    sent.write(' '.repeat(64 * 1024 + 1));

    const [answer] = (await once(sent, 'response')) as [IncomingMessage];

    expect(answer.statusCode).toBe(413);
    sent.destroy();
  });

  it('that fails is answered with the reason, which is also reported', async () => {
    const answer = await fetch(`${url}/failing`);

    expect([answer.status, await answer.json()]).toEqual([
      500,
      { error: 'The server could not do this: No space left on device' },
    ]);
    expect(reported).toMatchObject([{ message: 'No space left on device' }]);
  });

  it('gets an upload as a stream, of any size', async () => {
    const answer = await fetch(`${url}/upload`, { method: 'POST', body: new Uint8Array(5 * 1024 * 1024) });

    expect([answer.status, await answer.json()]).toEqual([201, { bytes: 5 * 1024 * 1024 }]);
  });

  it('answers with a stream, and to HEAD with its head alone', async () => {
    const answer = await fetch(`${url}/stream`);
    const head = await fetch(`${url}/stream`, { method: 'HEAD' });

    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    expect(await answer.text()).toBe('one two');
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it.each(['/files/a', '/files/a/b.js'])('with a star matches the path %s', async (path) => {
    const answer = await fetch(`${url}${path}`);

    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(`/_tabularium${path}`);
  });

  it('is not reached by a request that the guard rejects', async () => {
    const answer = await fetch(`${url}/upload`, { method: 'POST', body: 'x', headers: { 'x-rejected': '1' } });

    expect([answer.status, await answer.json()]).toEqual([403, { error: 'no' }]);
  });

  it.each([
    ['/thign', 'There is nothing at /_tabularium/thign. Did you mean /_tabularium/thing?'],
    ['/entirely-other', 'There is nothing at /_tabularium/entirely-other.'],
    ['/files/', 'There is nothing at /_tabularium/files/. It ends where a name or an id is missing.'],
  ])('is suggested for a path that is like its own: %s', async (path, error) => {
    expect(await (await fetch(`${url}${path}`)).json()).toMatchObject({ error });
  });

  it('is named with its method where another method is asked for', async () => {
    const answer = await fetch(`${url}/thing`, { method: 'DELETE' });

    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT');
    expect(await answer.json()).toMatchObject({
      error: 'Use GET or HEAD or PUT.',
      paths: { '/_tabularium/thing': 'reads it', 'PUT /_tabularium/thing': 'writes it' },
    });
  });
});
