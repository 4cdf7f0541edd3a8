import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { undo } from '../../../src/commands/undo.js';
import { startTabularium, type Tabularium } from '../../../src/index.js';
import { tableOf } from '../../support/instance-tables.js';
import { configOf } from '../../support/parse-command.js';

describe('tabularium undo', () => {
  let server: Tabularium;
  beforeAll(async () => {
    server = await startTabularium();
    const table = tableOf(server.connectionString, 'People');
    await table.createTable();
    for (const rowKey of ['a', 'b']) await table.createEntity({ partitionKey: 'p', rowKey });
  });
  afterAll(() => server.close());

  const linesOf = async (question: Partial<Parameters<typeof undo>[1]> = {}) => {
    const lines: string[] = [];
    await undo(configOf(['--tablePort', String(server.port)]), { id: undefined, ...question }, (line) =>
      lines.push(line),
    );
    return lines;
  };

  it('lists what can be undone, undoes the newest call, and says what it has left out', async () => {
    await server.reset({ table: 'People' });
    expect(await linesOf({ list: true })).toEqual([
      expect.stringMatching(/^undo-1 \d{4}-\S+Z reset all accounts\/People, until \d{4}-\S+Z$/),
    ]);
    await tableOf(server.connectionString, 'People').createEntity({ partitionKey: 'p', rowKey: 'b', own: true });
    expect(await linesOf()).toEqual([
      'undone: reset all accounts/People; 0 tables as before, 1 entities given back in others',
      'left out devstoreaccount1/People "p" "b": The entity was written since.',
    ]);
  });

  it('undoes a call by its id, and prints the answer as JSON if asked to', async () => {
    const { undo: id } = await server.reset();
    const [line = ''] = await linesOf({ id: id ?? '', json: true });
    expect(JSON.parse(line)).toMatchObject({ id, tables: 1 });
  });

  it('fails with the words of the server', async () => {
    await expect(linesOf()).rejects.toThrow('Nothing can be undone now.');
  });
});
