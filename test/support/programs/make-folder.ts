import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder in the temporary folder of the system. */
export function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'tabularium-test-'));
}
