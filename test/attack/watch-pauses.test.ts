import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eachInFolder } from '../support/child-server.js';
import { runProgram } from '../support/run-program.js';
import { type PauseSample, watcherOf } from '../support/watched-server.js';

let folder: string;
eachInFolder((path) => {
  folder = path;
});

/** Runs a program under the watcher until it asks for a report. Returns the report. */
async function watch(program: string): Promise<PauseSample> {
  const file = join(folder, 'pauses');
  const work = `const spend = (ms) => {
    const start = process.cpuUsage();
    const spent = () => { const { user, system } = process.cpuUsage(start); return (user + system) / 1000; };
    while (spent() < ms);
  };
  const end = () => { process.kill(process.pid, 'SIGUSR2'); setTimeout(() => {}, 300); };`;
  const words = [
    process.execPath,
    '--import',
    watcherOf(file),
    '--eval',
    `${work} setTimeout(() => { ${program} }, 20)`,
  ];
  expect(await runProgram(words).ended).toMatchObject({ code: 0, errors: '' });
  const [newest = ''] = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-1);
  return JSON.parse(newest) as PauseSample;
}

it.runIf(process.platform === 'linux')(
  'reports the processor time of the longest turn of the event loop, not of several, and not the time asleep',
  async () => {
    const one = await watch('spend(300); setImmediate(end);');
    expect(one.processorMs).toBeGreaterThan(280);
    const many = await watch(
      'let at = 0; const next = () => (++at < 30 ? (spend(10), setImmediate(next)) : end()); next();',
    );
    expect(many.processorMs).toBeLessThan(150);
    const asleep = await watch('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400); setImmediate(end);');
    expect(asleep.processorMs).toBeLessThan(200);
    expect(asleep.wallMs).toBeGreaterThan(0);
  },
);
