import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestClock } from '../../../src/clock/test-clock.js';
import { type ClockQuestion, useClock } from '../../../src/commands/clock.js';
import { defaultConfig } from '../../../src/config.js';
import { clockRows } from '../../../src/control/clock.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import { configOf } from '../../support/parse-command.js';

it.each([
  [{ inMemory: false, database: undefined, allowTestClock: false }, 403, 'allow it with --allowTestClock'],
  [{ inMemory: false, database: undefined, allowTestClock: true }, 200, '"frozen":true'],
  [
    { inMemory: false, database: { url: '', schema: 's', connections: 4 }, allowTestClock: true },
    403,
    'the clock of the database stamps entities',
  ],
])('A clock with the settings %j is frozen with %i', async (config, status, text) => {
  const rows = clockRows({ clock: new TestClock(), config });
  const row = rows.find(({ method }) => method === 'POST');
  const answer = await row?.run({
    params: {},
    path: '/_tabularium/clock',
    query: new URLSearchParams(),
    body: { freeze: true },
  });
  expect([answer?.status, answer?.body]).toEqual([status, expect.stringContaining(text)]);
});

describe('The clock of a server in memory', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer({ ...defaultConfig, port: 0, inMemory: true, silent: true });
  });
  afterAll(() => server.close());

  const set = async (body: unknown) => {
    const answer = await fetch(`${server.url}/_tabularium/clock`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as object };
  };

  it.each([
    [{}, 'Send freeze, advance or resume'],
    [[], 'Send a JSON object with freeze, advance or resume.'],
    [{ freze: true }, 'Send a JSON object with freeze, advance or resume.'],
    [{ freeze: true, resume: true }, 'Send freeze or resume, not both.'],
    [{ freeze: false }, 'freeze must be true or an instant'],
    [{ freeze: '2030-13-01' }, 'freeze must be true or an instant'],
    [{ freeze: '2030-01-01', advance: 'soon' }, 'advance must be a length of time'],
    [{ freeze: '8999-01-01', advance: '9999d' }, 'The clock ends with the year 9000'],
  ])('is not changed by %j', async (body, message) => {
    expect(await set(body)).toMatchObject({ status: 400, body: { error: expect.stringContaining(message) } });
    expect(await (await fetch(`${server.url}/_tabularium/clock`)).json()).toMatchObject({ frozen: false, aheadMs: 0 });
  });

  it('is shown and changed by the command', async () => {
    const lines: string[] = [];
    const use = (verb: ClockQuestion['verb'], value?: string) =>
      useClock(configOf(['--tablePort', new URL(server.url).port]), { verb, value }, (line) => lines.push(line));
    await use('show');
    await use('freeze', '2030-01-31T12:00:00Z');
    await use('advance', '90m');
    await use('freeze', 'now');
    await use('resume');
    expect(lines).toEqual([
      expect.stringMatching(/^\d{4}-.*Z, the real time$/),
      '2030-01-31T12:00:00.000Z, frozen',
      '2030-01-31T13:30:00.000Z, frozen',
      '2030-01-31T13:30:00.000Z, frozen',
      expect.stringMatching(/^2030-01-31T1[34]:.*Z, \d+(\.\d+)? s ahead of the real time$/),
    ]);
    await expect(use('advance')).rejects.toThrow(
      'DURATION is missing. Usage: node dist/main.js clock advance DURATION',
    );
  });
});
