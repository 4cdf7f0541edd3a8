import { vi } from 'vitest';
import { run } from '../../../src/commands/program.js';

/** What a command line of this program did: its exit code, and what it wrote. */
export interface RanLine {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** Runs a command line of this program in this process. One at a time: two would write into each other's output. */
export async function runLine(words: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<RanLine> {
  if (vi.isMockFunction(process.stdout.write)) throw new Error('Another command line is still running.');
  const written = { out: '', errors: '' };
  const spies = (['out', 'errors'] as const).map((name) =>
    vi.spyOn(name === 'out' ? process.stdout : process.stderr, 'write').mockImplementation((part) => {
      written[name] += String(part);
      return true;
    }),
  );
  const code = await run(['node', 'tabularium', ...words], environment).finally(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return { code, ...written };
}
