import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../../src/index.js';
import { allVerbs } from '../../../src/verbs/registry.js';
import { routeOf } from '../../../src/verbs/verb-row.js';
import { fillServer, stateOf } from '../../support/servers/server-state.js';

/** The names of all queries. Each row takes some of them. */
const names = [
  ...['account', 'table', 'from', 'to', 'limit', 'since', 'until', 'group', 'wait', 'format', 'filter', 'select'],
  ...['mode', 'map', 'defaultTable', 'status', 'class', 'op', 'client', 'mark', 'text', 'after', 'before'],
];

describe('A control row with bad input', () => {
  let server: Tabularium;
  let before: object;
  beforeAll(async () => {
    server = await startTabularium();
    await fillServer(server);
    before = await stateOf(server);
  });
  afterAll(() => server.close());

  const ask = async (method: string, path: string, body = '{}') => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(path.startsWith('/_tabularium/?') && { Accept: 'text/html' }),
      },
      ...(method !== 'GET' && { body }),
    });
    const error = (await answer.json().catch(() => ({}))) as { readonly error?: string };
    return { call: `${method} ${path} ${body}`, status: answer.status, error: error.error };
  };

  /** The rows, as the server lists them to a client that asks for an unknown path. */
  const rows = async () => {
    const { paths } = (await (await fetch(`${server.url}/_tabularium/nothing`)).json()) as { readonly paths: object };
    return Object.keys(paths).map((name) => (name.includes(' ') ? name.split(' ') : ['GET', name]) as [string, string]);
  };

  /** Returns a path of a row, with an id that nothing has. */
  const pathOf = (path: string) => path.replace(/\*$/, 'none').replace(/\{\w+\}/, 'none');

  it('rejects an unknown, a blank and a repeated name of a query with 400', async () => {
    for (const [row, [method, path]] of (await rows()).entries()) {
      // One check reads the queries of all rows, so each row gets a quarter of the names.
      const some = names.filter((_, at) => (at + row) % 4 === 0);
      const queries = [
        ...['unknown=1', 'unknown'],
        ...some.flatMap((name) => [`${name}=`, `${name}=%20`, `${name}=a&${name}=b`]),
      ];
      // Browsers and monitors add parameters of their own to the page, health and metrics.
      if (/\/(?:health|metrics|explorer|_tabularium$)/.test(path)) continue;
      for (const query of queries) {
        const asked = path === '/_tabularium' ? '/_tabularium/' : pathOf(path);
        expect(await ask(method, `${asked}?${query}`)).toMatchObject({ status: 400, error: expect.any(String) });
      }
    }
    expect(await stateOf(server)).toEqual(before);
  });

  it('rejects a missing or blank id, and a path with a further part, with 404', async () => {
    for (const [method, path] of await rows()) {
      const named = path.replace(/\{\w+\}/, '*');
      const wrong = /\{\w+\}/.test(path)
        ? [named.replace('*', ''), named.replace('*', '%20'), `${named.replace('*', 'none')}/further`]
        : path.endsWith('/*')
          ? [path.slice(0, -1), path.replace('*', '%20'), path.replace('*', 'none/curl/further')]
          : [...(path === '/_tabularium' ? [] : [`${path}/`]), `${path}/none/further`];
      for (const one of wrong) {
        const { call, status, error } = await ask(method, one);
        // A POST to a snapshot has its verb in the path; a name that no snapshot can have is rejected with 400.
        expect({ call, status }).toEqual({ call, status: expect.toBeOneOf([400, 404, 405]) });
        expect(error).toEqual(expect.any(String));
      }
    }
    expect(await stateOf(server)).toEqual(before);
  });

  it('rejects an unknown field and a blank name with 400', async () => {
    const fields = ['account', 'table', 'tablePrefix', 'to', 'from', 'name', 'text'];
    const bodies = [{ unknown: 1 }, ...fields.flatMap((name) => [{ [name]: '' }, { [name]: ' ' }])];
    for (const [method, path] of await rows()) {
      // The errors of MCP are those of JSON-RPC.
      if (method === 'GET' || method === 'DELETE' || /\/(?:import|mcp)$/.test(path)) continue;
      const asked = pathOf(path);
      for (const body of bodies) {
        expect(await ask(method, asked, JSON.stringify(body))).toMatchObject({
          status: 400,
          error: expect.any(String),
        });
      }
    }
    expect(await stateOf(server)).toEqual(before);
  });

  it('rejects a field that is nested more deeply than the stack allows with 400', async () => {
    const deep = [`${'['.repeat(31_000)}${']'.repeat(31_000)}`, `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`];
    for (const verb of allVerbs) {
      const [method, path] = routeOf(verb);
      if (method !== 'POST' && method !== 'PUT') continue;
      const inBody = Object.keys(verb.takes).filter((field) => !path.includes(`{${field}}`));
      if (verb.uploads) continue;
      for (const body of inBody.flatMap((field) => deep.map((value) => `{${JSON.stringify(field)}:${value}}`))) {
        const { call, status, error } = await ask(method, `/_tabularium${pathOf(path)}`, body);
        expect({ call: call.slice(0, 60), status }).toEqual({ call: call.slice(0, 60), status: 400 });
        expect(error?.length).toBeLessThan(500);
      }
    }
    expect(await stateOf(server)).toEqual(before);
  });
});
