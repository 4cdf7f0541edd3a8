import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BranchQuestion, useBranches } from '../../../src/commands/branch.js';
import { configOf } from '../../support/parse-command.js';
import { type RunningService, startService } from '../../support/start-service.js';

describe('tabularium branch', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const linesOf = async (verb: BranchQuestion['verb'], name?: string, options: Partial<BranchQuestion> = {}) => {
    const lines: string[] = [];
    const config = configOf(['--tablePort', new URL(service.url).port]);
    await useBranches(config, { verb, name, ...options }, (line) => lines.push(line));
    return lines;
  };

  it('prints the connection string of a branch alone', async () => {
    const [line = ''] = await linesOf('create', undefined, { seconds: 60 });
    const [, account = ''] = /^DefaultEndpointsProtocol=http;AccountName=(b\w{10});AccountKey=\S+;$/.exec(line) ?? [];
    expect(line).toContain(`TableEndpoint=${service.url}/${account};`);
    expect(await linesOf('list')).toEqual([expect.stringMatching(`^${account} from devstoreaccount1, until .*Z$`)]);
    expect(JSON.parse((await linesOf('list', undefined, { json: true })).join())).toHaveProperty('branches');
    expect(await linesOf('delete', account)).toEqual(['deleted']);
    expect(await linesOf('list')).toEqual([]);
  });

  it('asks for the account to delete', async () => {
    await expect(linesOf('delete')).rejects.toThrow(
      'ACCOUNT is missing. Usage: node dist/main.js branch delete ACCOUNT',
    );
  });
});
