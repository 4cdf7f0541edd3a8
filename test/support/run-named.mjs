import { execSync, spawnSync } from 'node:child_process';
import { newerSource } from './programs/check-built.mjs';

/**
 * Runs the command that the first word of the command line names, with the words after it, on a build of the sources as they are. The
 * commands are words for `node`, and run one after another until one fails.
 *
 * @param {string} usage how the script is called
 * @param {Readonly<Record<string, readonly (readonly string[])[]>>} commands
 */
export function runNamed(usage, commands) {
  const [name = '', ...words] = process.argv.slice(2);
  const steps = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!steps) {
    process.stderr.write(`usage: ${usage}\nnames: ${Object.keys(commands).join(', ')}\n`);
    process.exitCode = 2;
    return;
  }
  if (newerSource() !== undefined) execSync('npm run --silent build', { stdio: 'inherit' });
  for (const step of steps) {
    const { status } = spawnSync(process.execPath, [...step, ...words], { stdio: 'inherit' });
    if (status === 0) continue;
    process.exitCode = status ?? 1;
    return;
  }
}
