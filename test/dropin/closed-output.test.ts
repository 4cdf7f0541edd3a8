import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

it.each([['--help'], ['connection-string'], ['explain', "RowKey eq 'r'"]])(
  'tabularium %s ends without an error if the reader of its output has left',
  async (...words) => {
    const program = spawn(process.execPath, ['dist/main.js', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    program.stdout.destroy();
    let errors = '';
    program.stderr.on('data', (part) => {
      errors += part;
    });
    const [code] = await once(program, 'close');
    expect([code, errors]).toEqual([0, '']);
  },
);
