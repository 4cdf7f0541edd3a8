import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultQuestion, useFaults } from '../../../src/commands/fault.js';
import { addAskOptions, readConfig } from '../../../src/commands/server-options.js';
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

  it('asks every server that is named, and says which one answered', async () => {
    const other = await startService();
    const run = async (args: readonly string[], question: FaultQuestion) => {
      const lines: string[] = [];
      const config = readConfig(addAskOptions(new Command('fault'), 'several').parse(args, { from: 'user' }), {});
      const failure = await useFaults(config, question, (line) => lines.push(line)).catch(({ message }) => message);
      return { lines, failure };
    };
    const both = ['--url', service.url, '--url', other.url];
    const line = 'busy: serverBusy, 0 of 1 hits of 0 requests';
    expect(await run(both, { verb: 'add', words: ['id=busy', 'fault=503', 'times=1'] })).toEqual({
      lines: [`${service.url} ${line}`, `${other.url} ${line}`],
      failure: undefined,
    });
    const listed = await run(both, { verb: 'list', words: [], json: true });
    expect(listed.lines.map((one) => JSON.parse(one))).toMatchObject([
      { server: service.url, faults: [{ id: 'busy' }] },
      { server: other.url, faults: [{ id: 'busy' }] },
    ]);
    await run(['--url', service.url], { verb: 'clear', words: [] });
    // The others are asked although one refuses.
    expect(await run(both, { verb: 'delete', words: ['busy'] })).toEqual({
      lines: [`${other.url} deleted`],
      failure: `${service.url} refused: There is no fault rule busy.`,
    });
    await other.close();
  });
});
