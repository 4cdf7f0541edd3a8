import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { run } from '../../../src/commands/program.js';
import { reset } from '../../../src/commands/reset.js';
import { configOf } from '../../support/parse-command.js';
import { ServiceClient } from '../../support/service-client.js';
import { type RunningService, startService } from '../../support/start-service.js';

describe('tabularium reset', () => {
  let service: RunningService;
  let client: ServiceClient;
  beforeAll(async () => {
    service = await startService();
    client = new ServiceClient(() => service);
    for (const TableName of ['People', 'Places']) await client.post('/Tables', { TableName });
    await client.post('/People', { PartitionKey: 'p', RowKey: 'r' });
  });
  afterAll(async () => {
    client.close();
    await service.close();
  });

  const linesOf = async (options: Parameters<typeof reset>[1] = {}) => {
    const lines: string[] = [];
    await reset(configOf(['--tablePort', new URL(service.url).port]), options, (line) => lines.push(line));
    return lines;
  };

  it('prints how much was reset', async () => {
    const hint = `; node dist/main.js undo undo-1 --url ${service.url} gives it back`;
    expect(await linesOf({ table: 'People', partition: 'p' })).toEqual([`1 entity deleted${hint}`]);
    expect(await linesOf({ tablePrefix: 'P' })).toEqual([`2 tables reset${hint.replace('undo-1', 'undo-2')}`]);
    expect(JSON.parse((await linesOf({ json: true })).join())).toEqual({
      to: 'empty',
      tables: 2,
      ms: expect.any(Number),
      undo: 'undo-3',
    });
    expect(await linesOf()).toEqual(['0 tables reset']);
  });

  it.each([
    ['reset'],
    ['branch', 'create'],
    ['diff', 'devstoreaccount1'],
    ['snapshot', 'list'],
    ['undo', '--list'],
    ['export'],
    ['fault', 'list'],
    ['clock', 'show'],
    ['changes'],
  ])('works with an option of the server: %j', async (...words) => {
    const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const errors = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const code = await run(['', 'tabularium', ...words, '--tablePort', new URL(service.url).port], {});
    const written = errors.mock.calls.join();
    output.mockRestore();
    errors.mockRestore();

    expect(written).toBe('');
    expect(code).toBe(0);
  });

  it('fails with the words of the server', async () => {
    await expect(linesOf({ table: 'Missing' })).rejects.toThrow('There is no table Missing.');
  });
});
