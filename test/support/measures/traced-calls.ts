import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { status, error } = spawnSync('strace', ['-D', '-qq', 'true']);

/** Why system calls cannot be traced here, to stand in a title. Empty if they can. */
export const whyNoTracer: string = error || status !== 0 ? ' (skipped: strace is not installed or not permitted)' : '';

/** Returns the command that runs a server and writes its reads, writes and syncs to a file. */
export function traceTo(file: string): readonly string[] {
  // -D leaves the server the direct child, so that signals reach it. -y writes the path of each file.
  return ['strace', '-D', '-f', '-qq', '-y', '-s', '60', '-e', 'trace=fdatasync,fsync,read,write,writev', '-o', file];
}

/** What a server did for one request, in order: it syncs a file of the data folder, or it answers. */
export type TracedStep = 'sync' | 'answer';

/** Returns what the server did from reading the request that begins so up to its answer. */
export function stepsOf(file: string, requestLine: string): readonly TracedStep[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const begin = lines.findIndex((line) => line.includes(`"${requestLine}`));
  if (begin < 0) throw new Error(`The server did not read ${requestLine}`);
  const steps: TracedStep[] = [];
  const syncing = new Set<string>();
  for (const line of lines.slice(begin)) {
    const [thread = ''] = line.split(' ');
    if (/ f(?:data)?sync\(.*(?:\.log|COMMITS-\d+)>/.test(line)) syncing.add(thread);
    // A call that another thread interrupts in the trace ends on a line of its own.
    if (/sync.*\) += 0$/.test(line) && syncing.delete(thread)) steps.push('sync');
    if (/ writev?\(.*"HTTP\/1\.1 /.test(line)) return [...steps, 'answer'];
  }
  return steps;
}
