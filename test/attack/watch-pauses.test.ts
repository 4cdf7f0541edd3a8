import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type PauseSample, watcherOf } from '../support/measures/watched-server.js';
import { eachInFolder } from '../support/programs/child-server.js';
import { runProgram } from '../support/programs/run-program.js';

let folder: string;
eachInFolder((path) => {
  folder = path;
});

/** Runs a program under the watcher between two reports that it asks for. Returns the one with the longest turn since the first. */
async function watch(program: string): Promise<PauseSample> {
  const file = join(folder, 'pauses');
  await rm(file, { force: true });
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
    `${work} process.kill(process.pid, 'SIGUSR2'); setTimeout(() => { ${program} }, 300)`,
  ];
  expect(await runProgram(words).ended).toMatchObject({ code: 0, errors: '' });
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const samples = lines.map((line) => JSON.parse(line) as PauseSample);
  const first = samples.findIndex(({ isCollected }) => isCollected);
  return samples.slice(first + 1).reduce((longest, one) => (one.processorMs > longest.processorMs ? one : longest));
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
