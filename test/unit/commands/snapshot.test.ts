import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SnapshotQuestion, useSnapshots } from '../../../src/commands/snapshot.js';
import { configOf } from '../../support/parse-command.js';
import { ServiceClient } from '../../support/service-client.js';
import { type RunningService, startService } from '../../support/start-service.js';

describe('tabularium snapshot', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
    const client = new ServiceClient(() => service);
    await client.post('/Tables', { TableName: 'People' });
    client.close();
  });
  afterAll(() => service.close());

  const linesOf = async (
    ...[verb, name, options = {}]: readonly [verb: SnapshotQuestion['verb'], name?: string, options?: object]
  ) => {
    const lines: string[] = [];
    const config = configOf(['--tablePort', new URL(service.url).port]);
    await useSnapshots(config, { verb, name, ...options }, (line) => lines.push(line));
    return lines;
  };

  it('prints what it did', async () => {
    const line = /^before \d{4}-\S+Z devstoreaccount1 \(1 tables\)$/;
    expect(await linesOf('take', 'before')).toEqual([expect.stringMatching(line)]);
    for (const [verb, name] of [['list'], ['show', 'before']] as const) {
      expect(await linesOf(verb, name)).toEqual([expect.stringMatching(line)]);
    }
    expect(await linesOf('restore', 'before')).toEqual([expect.stringMatching(/^1 tables restored/)]);
    expect(JSON.parse((await linesOf('list', undefined, { json: true })).join())).toMatchObject({
      snapshots: [{ name: 'before' }],
    });
    expect(await linesOf('delete', 'before')).toEqual(['deleted']);
  });

  it('asks for a name', async () => {
    await expect(linesOf('take')).rejects.toThrow('NAME is missing. Usage: node dist/main.js snapshot take NAME');
  });
});
