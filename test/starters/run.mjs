// Starts the drop-in for Azurite as its users' tools do, and checks what each tool checks: npm run test:long -- starters. Prints a
// line for each tool. The tools have fixed ports, so on Linux the programs run in a network of their own where that works.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDropIn, linkTables } from './install.mjs';

const checks = fileURLToPath(new URL('check-all.mjs', import.meta.url));
const ownNetwork = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
const hasNetwork = spawnSync(ownNetwork[0], [...ownNetwork.slice(1), 'true']).status === 0;

const folder = mkdtempSync(join(tmpdir(), 'tabularium-starters-'));
try {
  const bin = installDropIn(folder);
  const words = [process.execPath, checks, bin, linkTables(folder)];
  const [program, ...rest] = hasNetwork ? [...ownNetwork, ...words] : words;
  process.exitCode = spawnSync(program, rest, { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
