import { getDotPath, safeParse } from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestOf } from '../../../src/client/request-of.js';
import { startTabularium, type Tabularium } from '../../../src/index.js';
import type { Schema } from '../../../src/schema.js';
import { allVerbs } from '../../../src/verbs/registry.js';
import { methodOf } from '../../../src/verbs/verb-row.js';
import { runLine } from '../../support/programs/run-line.js';
import { fillServer } from '../../support/servers/server-state.js';

type Method = (...given: readonly unknown[]) => Promise<unknown>;

/** What each verb is asked, without what differs at each call: one call that succeeds and one that fails. */
const calls: Readonly<Record<string, readonly [good: object, bad?: object | undefined]>> = {
  'snapshot create': [{ name: 'other' }, { name: 'other', account: 'missing' }],
  'snapshot list': [{}],
  'snapshot restore': [{ name: 'base' }, { name: 'missing' }],
  'snapshot delete': [{ name: 'base' }, { name: 'missing' }],
  'branch create': [{ from: 'base', for: '5m' }, { from: 'missing' }],
  'branch list': [{}],
  'branch delete': [{ account: 'BRANCH' }, { account: 'missing' }],
  'branch report': [{ account: 'devstoreaccount1' }, { account: 'missing' }],
  reset: [{ table: 'Orders' }, { table: 'Missing' }],
  undo: [{}, { id: 'undo-99' }],
  'undo list': [{}],
  diff: [{ from: 'base', table: 'Orders', limit: 5 }, { from: 'missing' }],
  'table list': [{ count: true }, { account: 'missing' }],
  'table show': [{ table: 'Orders' }, { table: 'Missing' }],
  'entity list': [
    { table: 'Orders', filter: 'Size eq 1', select: ['Size'] },
    { table: 'Orders', filter: 'Size eq' },
  ],
  'entity count': [{ table: 'Orders' }, { table: 'Missing' }],
  'entity delete': [
    { table: 'Orders', filter: 'Size eq 1' },
    { table: 'Orders', filter: 'Size eq' },
  ],
  'fault create': [{ rules: 'id=own fault=503 times=2', replace: true }, { rules: 'flakey' }],
  'fault list': [{}],
  'fault delete': [{ id: 'rule' }, { id: 'missing' }],
  'fault clear': [{}],
  'request list': [{ status: '4xx', limit: 1 }],
  'request show': [{ id: 'REQUEST' }, { id: 'missing' }],
  'change list': [{ table: 'Orders' }, { since: 'missing' }],
  'coach show': [{ ended: true }],
  'coach clear': [{}],
  health: [{}],
  mark: [{ name: 'a test' }],
  why: [{}, { id: 'missing' }],
  explain: [{ filter: "RowKey eq 'r'" }, undefined],
  info: [{}],
  'clock show': [{}],
  'clock freeze': [{ at: '2999-01-31' }, { at: '2020-01-01' }],
  'clock advance': [{ by: '100d' }, { by: '9999999d' }],
  'clock resume': [{}],
};

/** Fields of answers that differ at each call. */
const variable = new Set([
  'usedBytes',
  'ms',
  'at',
  'until',
  'expires',
  'account',
  'key',
  'connectionString',
  'server',
  'etag',
  'now',
  'seed',
  'aheadMs',
  'ends',
  'started',
  'accounts',
  'requestId',
  'CorrelationId',
  'DurationMs',
  'Uri',
  'url',
  'curl',
  'accepted',
]);

/** Returns a text without its times, and without the IDs of requests in its lines. */
function withoutTimes(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time').replace(/(?<= request )[0-9a-f-]{36}/g, 'id');
}

/** Returns an answer as JSON has it, without what differs at each call. */
function stable(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer ?? {}, (name, value) =>
      variable.has(name) ? 'varies' : typeof value === 'string' ? withoutTimes(value) : value,
    ),
  );
}

/** Returns where an answer is not as its schema says. */
function unlike(answers: Schema, answer: unknown): readonly string[] {
  const { issues = [] } = safeParse(answers, answer);
  return issues.map((issue) => `${getDotPath(issue)}: ${issue.message}`);
}

/** Starts a server with something of everything, and returns the ways to call its verbs. */
async function openServer(): Promise<Tabularium> {
  const server = await startTabularium();
  await fillServer(server);
  return server;
}

describe.each(allVerbs.filter(({ name }) => name in calls).map((verb) => [verb.name, verb] as const))(
  '%s',
  (name, verb) => {
    const [good, bad] = calls[name] ?? [{}];
    const servers: Tabularium[] = [];
    beforeAll(async () => {
      for (let at = 0; at < 3; at++) servers.push(await openServer());
    });
    afterAll(() => Promise.all(servers.map((server) => server.close())));

    const asked = async (server: Tabularium, fields: object) => {
      const branch = (await server.branches.list())[0]?.account ?? '';
      const request = (await server.requests.list())[0]?.CorrelationId ?? '';
      return JSON.parse(JSON.stringify(fields).replace('BRANCH', branch).replace('REQUEST', request));
    };
    const { words = [], lists } = verb;

    /** Calls the verb over HTTP, by the command line and by the library. Returns the answers, or the messages. */
    const ask = async (fields: object): Promise<readonly unknown[]> => {
      const [one, two, three] = servers as [Tabularium, Tabularium, Tabularium];
      const { method, path, body } = requestOf(verb, await asked(one, fields));
      const overHttp = await fetch(`${one.url}/_tabularium${path}`, {
        method,
        ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
      }).then(async (answer) => (await answer.json()) as { readonly error?: string });
      if (overHttp.error === undefined) expect(unlike(verb.answers, overHttp), 'not as the verb declares').toEqual([]);

      const given: Readonly<Record<string, unknown>> = await asked(two, fields);
      const options = Object.entries(given).filter(([field]) => !words.includes(field));
      const line = [
        ...name.split(' '),
        ...words.flatMap((word) => (given[word] === undefined ? [] : [String(given[word])])),
        ...options.flatMap(([field, value]) => (value === true ? [`--${field}`] : [`--${field}`, String(value)])),
      ];
      const { code, out, errors } = await runLine([...line, '--json'], { TABULARIUM_URL: two.url });
      expect(code).toBe(code === 1 ? 1 : errors === '' ? 0 : 2);
      const byCommand = errors === '' ? JSON.parse(out) : errors.trim().replace(`${two.url}: `, '');

      const [noun, own] = methodOf(verb);
      const calls = three as unknown as Readonly<Record<string, Method & Readonly<Record<string, Method>>>>;
      const call = own === undefined ? calls[noun] : calls[noun]?.[own];
      const wanted: Readonly<Record<string, unknown>> = await asked(three, fields);
      const rest = Object.fromEntries(Object.entries(wanted).filter(([field]) => !words.includes(field)));
      const inProcess = await call?.(...words.map((word) => wanted[word]), rest).then(
        (answer) => (lists === undefined ? answer : { [lists]: answer }),
        (error: Error) => error.message,
      );
      return [overHttp.error ?? overHttp, byCommand, inProcess].map((one) =>
        typeof one === 'string' ? withoutTimes(one) : stable(one),
      );
    };

    it('answers the same over HTTP, to the command and to the library', async () => {
      if (bad) {
        const [overHttp, byCommand, inProcess] = await ask(bad);
        expect(overHttp).toEqual(expect.any(String));
        expect([byCommand, inProcess]).toEqual([overHttp, overHttp]);
      }
      const [overHttp, byCommand, inProcess] = await ask(good);
      expect(overHttp).toEqual(expect.any(Object));
      expect(byCommand).toEqual(overHttp);
      // The library gives a branch what a program needs of it.
      if (name === 'branch create') expect(inProcess).toMatchObject(overHttp as object);
      // The library returns a list alone.
      else
        expect(inProcess).toEqual(
          lists === undefined ? overHttp : { [lists]: (overHttp as Record<string, unknown>)[lists] },
        );
    });
  },
);

it('Every verb is called alike', () => {
  // Identities need a file of identities, and have tests of their own, as streams have.
  const names = allVerbs
    .filter(({ name, sends, isForPage }) => !name.startsWith('identity ') && !sends && !isForPage)
    .map(({ name }) => name);
  expect(Object.keys(calls).sort()).toEqual(names.sort());
});
