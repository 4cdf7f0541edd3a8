import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runLine } from '../../support/programs/run-line.js';
import { type RunningService, startService } from '../../support/servers/start-service.js';

describe('tabularium fault', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const ask = (...words: readonly string[]) => runLine(['fault', ...words], { TABULARIUM_URL: service.url });
  const linesOf = async (...words: readonly string[]) => {
    const { code, out, errors } = await ask(...words);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    return out.split('\n').slice(0, -1);
  };

  it('creates a rule in words, lists and deletes it', async () => {
    const line = 'fault-1: OperationTimedOut, {"applied":true}, for {"table":"Jobs"}, 0 of 2 hits of 0 requests';
    expect(await linesOf('create', 'table=Jobs', 'fault=OperationTimedOut', 'applied=true', 'times=2')).toEqual([line]);
    expect(await linesOf('list')).toEqual([line]);
    expect(await linesOf('delete', 'fault-1')).toEqual(['deleted']);
    expect(await linesOf()).toEqual([]);
  });

  it('creates a profile, in the place of all other rules if asked to, and clears everything', async () => {
    await linesOf('create', 'fault=503');
    const lines = await linesOf('create', 'flaky', 'seed=7', '--replace');
    expect(lines).toEqual([
      expect.stringMatching(/^flaky-latency: latency, .*, 0 hits of 0 requests, until \S+Z$/),
      expect.stringMatching(/^flaky-busy: ServerBusy, probability 0\.01, seed \d+, /),
      expect.stringMatching(/^flaky-timeout: OperationTimedOut, /),
    ]);
    expect(await linesOf('list')).toEqual(lines);
    expect(await linesOf('clear')).toEqual(['cleared']);
    expect(await linesOf('list')).toEqual([]);
  });

  it.each([
    [['create'], 'RULE is missing, such as "flaky".'],
    [['create', 'fault=504'], "There is no fault '504'."],
    [['delete', 'none'], 'There is no fault rule none.'],
    [['flaky'], "There is no 'fault flaky'. The verbs are: clear, create, delete, list."],
  ])('says what is wrong with %j', async (words, message) => {
    expect(await ask(...words)).toMatchObject({ code: 2, errors: expect.stringContaining(message) });
  });
});
