import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultQuestion, useFaults } from '../../../src/commands/fault.js';
import { configOf } from '../../support/parse-command.js';
import { type RunningService, startService } from '../../support/start-service.js';

describe('tabularium fault', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const linesOf = async (verb: FaultQuestion['verb'], words: readonly string[] = [], json?: true) => {
    const lines: string[] = [];
    const config = configOf(['--tablePort', new URL(service.url).port]);
    await useFaults(config, { verb, words, ...(json && { json }) }, (line) => lines.push(line));
    return lines;
  };

  it('adds a rule in words, lists and deletes it', async () => {
    const line = 'fault-1: operationTimedOut, {"applied":true}, for {"table":"Jobs"}, 0 of 2 hits of 0 requests';
    expect(await linesOf('add', ['table=Jobs', 'fault=operationTimedOut', 'applied=true', 'times=2'])).toEqual([line]);
    expect(await linesOf('list')).toEqual([line]);
    expect(JSON.parse((await linesOf('list', [], true)).join())).toMatchObject({ faults: [{ id: 'fault-1' }] });
    expect(await linesOf('delete', ['fault-1'])).toEqual(['deleted']);
    expect(await linesOf('list')).toEqual([]);
  });

  it('adds a profile, and clears everything', async () => {
    const lines = await linesOf('add', ['flaky', 'seed=7']);
    expect(lines).toEqual([
      expect.stringMatching(/^flaky-latency: latency, .*, 0 hits of 0 requests, until \S+Z$/),
      expect.stringMatching(/^flaky-busy: serverBusy, probability 0\.01, seed \d+, /),
      expect.stringMatching(/^flaky-timeout: operationTimedOut, /),
    ]);
    expect(await linesOf('clear')).toEqual(['cleared']);
    expect(await linesOf('list')).toEqual([]);
  });

  it('says what a rule needs', async () => {
    await expect(linesOf('add')).rejects.toThrow('RULE is missing. Usage: node dist/main.js fault add RULE...');
    await expect(linesOf('add', ['fault=504'])).rejects.toThrow('fault.kind cannot be "504".');
    await expect(linesOf('delete', ['none'])).rejects.toThrow('There is no fault rule none.');
  });
});
