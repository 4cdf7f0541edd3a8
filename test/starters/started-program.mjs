import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { accepts, portOf } from './conditions.mjs';

/** A machine under load is slower than the limits of the tools. (Our choice.) Unit: milliseconds. */
export const limitMs = 60_000;
/** Docker kills a container ten seconds after the signal. Unit: milliseconds. */
const stopMs = 10_000;

/** Starts a program of `bin` in an empty folder. It leads a process group, as the tools' children do. */
export function startProgram(bin, program, words, folder, variables = {}) {
  const others = Object.entries(process.env).filter(([name]) => !/^(?:TABULARIUM|AZUR|npm_)/i.test(name));
  const env = { ...Object.fromEntries(others), PATH: `${bin}${delimiter}${process.env.PATH}`, ...variables };
  const child = spawn(program, words, { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const state = { output: '', errors: '', code: undefined };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    state.output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    state.errors += text;
  });
  child.once('error', (error) => {
    state.code = error.message;
  });
  child.once('close', (code, signal) => {
    state.code = code ?? signal;
  });
  return Object.assign(state, {
    kill: (signal) => child.kill(signal),
    killTree() {
      if (state.code === undefined && child.pid) process.kill(-child.pid, 'SIGKILL');
    },
  });
}

/** Waits until `holds` returns true. Fails when the program ends before, or after a minute. */
export async function until(what, holds, program) {
  const deadline = Date.now() + limitMs;
  while (!(await holds())) {
    if (program?.code !== undefined) throw new Error(`ended with ${program.code} before ${what}: ${program.errors}`);
    if (Date.now() > deadline) throw new Error(`never: ${what}`);
    await wait(20);
  }
}

/** Stops a program and waits until nothing is left of it. Returns how it ended. */
export async function stopProgram(program, how = 'SIGTERM') {
  const begin = Date.now();
  if (how === 'kill tree') program.killTree();
  else program.kill(how);
  await until('its end', () => program.code !== undefined);
  const took = Date.now() - begin;
  if (took > stopMs) throw new Error(`needed ${took} ms to stop`);
  for (const port of Object.values(portOf)) await until(`port ${port} is free`, async () => !(await accepts(port)));
  if (how === 'SIGTERM' && program.code !== 0) throw new Error(`ended with ${program.code}: ${program.errors}`);
  return `ended with ${program.code} in ${took} ms`;
}
