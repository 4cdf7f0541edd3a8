import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestClock } from '../../../src/clock/test-clock.js';
import { createCallVerb } from '../../../src/control/verbs/call-verb.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { clockFreeze } from '../../../src/verbs/clock.js';
import type { RejectedCall, VerbServer } from '../../../src/verbs/verb.js';
import { runLine } from '../../support/programs/run-line.js';

it.each([
  [{ inMemory: false, database: undefined, allowTestClock: false }, 403, 'allow it with --allowTestClock'],
  [{ inMemory: false, database: undefined, allowTestClock: true }, 200, '"frozen":true'],
  [
    { inMemory: false, database: { url: '', schema: 's', connections: 4 }, allowTestClock: true },
    403,
    'the clock of the database stamps entities',
  ],
])('A clock with the settings %j is frozen with %i', async (config, status, text) => {
  const clock = { clock: new TestClock(), config };
  const answer: { status?: number; message?: string } = await createCallVerb({ clock } as unknown as VerbServer)(
    clockFreeze,
    {},
  ).then(
    (state) => ({ message: JSON.stringify(state) }),
    (error: RejectedCall) => error,
  );
  expect([answer.status ?? 200, answer.message]).toEqual([status, expect.stringContaining(text)]);
});

describe('The clock of a server in memory', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer({ ...defaultConfig, port: 0, inMemory: true, silent: true });
  });
  afterAll(() => server.close());

  const line = async (...words: readonly string[]) => {
    const { out, errors } = await runLine(['clock', ...words], { TABULARIUM_URL: server.url });
    return out + errors;
  };

  it.each([
    [['freeze', '2030-13-01'], "'at' must be an instant in UTC; there is no 2030-13-01."],
    [['freeze', 'tomorrow'], 'AT must be an instant in UTC, such as 2030-01-31 or'],
    [['advance', 'soon'], 'BY must be a length of time, such as 90s, 5m, 1h or 7d'],
    [['advance', '9999d'], 'The clock ends with the year 9000'],
    [['advance'], 'BY is missing, such as "1h".'],
  ])('is not changed by %j', async (words, message) => {
    await line('freeze', '8999-01-01').then(() => line('resume'));
    const before = await line('show', '--json');
    expect(await line(...words)).toContain(message);
    expect(JSON.parse(await line('--json')).frozen).toBe(JSON.parse(before).frozen);
  });
});

it('The clock of a server in memory is shown and changed by the command', async () => {
  const server = await startServer({ ...defaultConfig, port: 0, inMemory: true, silent: true });
  const lines: string[] = [];
  for (const words of [[], ['freeze', '2030-01-31T12:00:00Z'], ['advance', '90m'], ['freeze'], ['resume']]) {
    lines.push((await runLine(['clock', ...words], { TABULARIUM_URL: server.url })).out);
  }
  await server.close();
  expect(lines).toEqual([
    expect.stringMatching(/^\d{4}-.*Z, the real time\n$/),
    '2030-01-31T12:00:00.000Z, frozen\n',
    '2030-01-31T13:30:00.000Z, frozen\n',
    '2030-01-31T13:30:00.000Z, frozen\n',
    expect.stringMatching(/^2030-01-31T1[34]:.*Z, \d+(\.\d+)? s ahead of the real time\n$/),
  ]);
});
