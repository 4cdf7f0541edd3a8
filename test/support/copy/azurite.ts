import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../programs/free-port.mjs';
import { makeFolder } from '../programs/make-folder.js';
import { runProgram } from '../programs/run-program.js';

/** The version that the tests know. */
const version = '3.37.0';

/** A running table service of Azurite. */
export interface Azurite extends AsyncDisposable {
  readonly url: string;
}

/** Starts Azurite's table service, installed once from npm in the folder for temporary files. */
export async function startAzurite(): Promise<Azurite> {
  const place = join(tmpdir(), `tabularium-azurite-${version}`);
  const main = join(place, 'node_modules/azurite/dist/src/table/main.js');
  if (!existsSync(main)) {
    await mkdir(place, { recursive: true });
    const words = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--force', `azurite@${version}`];
    await promisify(execFile)('npm', words, { cwd: place, shell: process.platform === 'win32' });
  }
  const port = await freePort();
  const flags = ['--tablePort', String(port), '--silent', '--skipApiVersionCheck', '--disableTelemetry'];
  const program = runProgram([process.execPath, main, ...flags, '--location', await makeFolder()]);
  await program.until(/successfully/);
  return {
    url: `http://127.0.0.1:${port}/devstoreaccount1`,
    async [Symbol.asyncDispose]() {
      program.kill('SIGKILL');
      await program.ended;
    },
  };
}
