// Replays recorded traffic against a server of its own: `npm run test:replay -- path/to/replay.mjs [options]`.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [script, ...options] = process.argv.slice(2);
if (!script) throw new Error('usage: npm run test:replay -- path/to/replay.mjs [options]');

const location = await mkdtemp(join(tmpdir(), 'tabularium-replay-'));
const server = spawn(process.execPath, ['dist/main.js', '--tablePort', '0', '--silent', '--location', location], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const endpoint = await listening(server);
  const args = [script, '--endpoint', `${endpoint}/devstoreaccount1`, '--strict', '--level', 'body', '--quiet', ...options];
  const replay = spawn(process.execPath, args, { stdio: 'inherit' });
  process.exitCode = await new Promise((resolve) => replay.on('exit', resolve));
} finally {
  server.kill();
  await rm(location, { recursive: true, force: true });
}

async function listening(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening at (\S+)/.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error('the server did not start');
}
