import { setTimeout } from 'node:timers/promises';
import type { ServerCalls } from '../../client/calls.js';

/** How many times as long as after a stream that ended it is waited, at most, after some that failed. */
const waitMax = 32;

/** A stream of a server: reads it until it ends. */
export type ReadStream = (calls: ServerCalls) => Promise<void>;

/**
 * Keeps streams of a server open until the signal aborts, or until the server does not answer any more. Resolves then. A stream that has
 * ended is opened again after `pauseMs`.
 */
export async function followServer(
  calls: ServerCalls,
  streams: readonly ReadStream[],
  signal: AbortSignal,
  pauseMs = 1000,
): Promise<void> {
  const isThere = () =>
    calls.info().then(
      () => true,
      () => false,
    );
  const keepOpen = async (read: ReadStream) => {
    let wait = pauseMs;
    do {
      // Why a stream has ended is of no use: the server is there and gives it again, or it is gone. One without a journal rejects it.
      const isRead = await read(calls).then(
        () => true,
        () => false,
      );
      wait = isRead ? pauseMs : Math.min(wait * 2, waitMax * pauseMs);
      await setTimeout(wait, undefined, { signal }).catch(() => {});
    } while (!signal.aborted && (await isThere()));
  };
  await Promise.all(streams.map(keepOpen));
}
