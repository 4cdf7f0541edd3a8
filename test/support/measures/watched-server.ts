import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChildServer, startChild } from '../programs/child-server.js';

/** What a server was like in one second. */
export interface PauseSample {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether the garbage was collected just before. */
  readonly isCollected: boolean;
  /** Processor time of the main thread in the longest turn of the event loop. Unit: milliseconds. */
  readonly processorMs: number;
  /** How long that turn took, with the time that the loop slept and that other processes ran. Unit: milliseconds. */
  readonly wallMs: number;
  /** Unit: bytes. */
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** A server in its own process that reports how long it holds its event loop. */
export interface WatchedServer extends ChildServer {
  /** Returns the samples so far. */
  samples(): readonly PauseSample[];
  /** Collects the garbage of the server, and returns the sample after it. */
  collect(): Promise<PauseSample>;
}

/** Returns the module that, imported by a program, appends its samples to this file. */
export function watcherOf(file: string): string {
  return new URL(`watch-pauses.mjs?${new URLSearchParams({ file })}`, import.meta.url).href;
}

/** Starts a server whose data is in this folder, with its default settings but for these options. */
export async function startWatched(folder: string, flags: readonly string[] = []): Promise<WatchedServer> {
  const file = join(folder, 'pauses');
  const server = await startChild({ location: folder, flags, node: ['--import', watcherOf(file)] });
  const samples = (): readonly PauseSample[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as PauseSample);
  const collected = () => samples().filter(({ isCollected }) => isCollected);
  return {
    ...server,
    samples,
    async collect() {
      const before = collected().length;
      server.signal('SIGUSR2');
      for (;;) {
        await sleep(20);
        const newest = collected()[before];
        if (newest) return newest;
      }
    },
  };
}
