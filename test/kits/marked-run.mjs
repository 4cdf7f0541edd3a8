// Runs commands whose descendants can be found again, though they left the process tree.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Runs a command with no other variables of Tabularium than these. Returns exit code, both outputs, and a function that finds descendants. */
export async function runMarked([file, ...words], folder, variables) {
  const id = randomUUID();
  const others = Object.entries(process.env).filter(([name]) => !/^(?:TABULARIUM|AZUR|npm_)/i.test(name));
  const env = { ...Object.fromEntries(others), KIT_RUN: id, ...variables };
  const child = spawn(file, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const code = await new Promise((resolve, reject) =>
    child.once('error', reject).once('exit', (code) => resolve(code ?? -1)),
  );
  return { code, output, left: () => processesOf(`KIT_RUN=${id}`) };
}

/** Returns the processes of this machine that have a variable. Linux tells it; elsewhere, none. */
function processesOf(variable) {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(variable));
}

function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    // It ended meanwhile.
    return [];
  }
}

/** Makes a folder with links to all programs on the PATH but these. Returns it, as a PATH. */
export function pathWithout(folder, programs) {
  if (existsSync(folder)) return folder;
  mkdirSync(folder);
  for (const place of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of existsSync(place) ? readdirSync(place) : []) {
      if (!programs.includes(name) && !existsSync(join(folder, name)))
        symlinkSync(join(place, name), join(folder, name));
    }
  }
  return folder;
}
