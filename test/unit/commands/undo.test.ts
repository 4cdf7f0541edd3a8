import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../../src/index.js';
import { runLine } from '../../support/programs/run-line.js';

describe('tabularium undo', () => {
  let server: Tabularium;
  beforeAll(async () => {
    server = await startTabularium();
    const rows = ['a', 'b'].map((key) => `{"PartitionKey":"p","RowKey":"${key}"}\n`);
    await server.import(rows, { table: 'People' });
  });
  afterAll(() => server.close());

  const lineOf = async (...words: readonly string[]) => (await runLine(words, { TABULARIUM_URL: server.url })).out;

  it('is named by a call that removes something, and says what it has restored', async () => {
    expect(await lineOf('entity', 'delete', 'People', "RowKey eq 'a'")).toBe(
      `1 entity deleted. To undo: node dist/main.js undo undo-1 --url ${server.url}\n`,
    );
    expect(await lineOf('undo', 'undo-1')).toMatch(
      /^undone: delete .*; 1 table as before it, without later writes\. To undo: .* undo undo-2 --url /,
    );
    expect(await lineOf('reset')).toMatch(/^1 table reset\. To undo: .* undo undo-3 --url /);
    expect(await lineOf('undo')).toMatch(
      /^undone: reset all accounts; 1 table as before it, without later writes\. To undo: .* undo undo-4 /,
    );
  });

  it('is not possible if the server keeps nothing, and the call says so', async () => {
    const forgetful = await startTabularium({ undo: false });
    try {
      await forgetful.import(['{"PartitionKey":"p","RowKey":"a"}\n'], { table: 'People' });
      const { out } = await runLine(['reset'], { TABULARIUM_URL: forgetful.url });
      expect(out).toBe('1 table reset. This cannot be undone\n');
    } finally {
      await forgetful.close();
    }
  });
});
