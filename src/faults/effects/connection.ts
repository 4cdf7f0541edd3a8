import type { AnswerDelivery, Sink } from '../../service/gate.js';
import { ClientGone } from '../../service/stages.js';
import type { Effect } from './effect.js';
import { heldMsMax } from './latency.js';
import type { Waits } from './waits.js';

/**
 * The ways to break a connection, in the letters of Azure's http-fault-injector. `p` sends the head and half of the body, `n`
 * sends nothing. Silence follows, or the connection is closed (`c`) or aborted (`a`), or the answer ends (`pn`).
 */
export const cutLetters = ['p', 'pc', 'pa', 'pn', 'n', 'nc', 'na'] as const;

/** One of the ways to break a connection. */
export type CutLetters = (typeof cutLetters)[number];

/** Returns the effect of breaking the connection before or after the operation. */
export function cutConnection(cut: CutLetters, when: 'before' | 'after'): Effect {
  return async ({ hit, received, marks, waits }, run) => {
    if (!hit()) return run();
    if (cut.startsWith('p')) {
      marks.delivery = sendHalf(cut, waits);
      return run();
    }
    // The client gets no answer, not even a rejection.
    if (when === 'after') await Promise.allSettled([run()]);
    await endConnection(cut, received.openSink(), waits);
    throw new ClientGone();
  };
}

function sendHalf(cut: CutLetters, waits: Waits): AnswerDelivery {
  return (sink, body, isChunked) => {
    const half = body.subarray(0, Math.floor(body.length / 2));
    sink.flushHead();
    if (half.length > 0) sink.write(half);
    // An abort would discard data that the system has not accepted yet.
    sink.whenTaken(() => {
      if (cut !== 'pn') {
        // The client may leave first.
        endConnection(cut, sink, waits).catch(() => {});
      } else if (isChunked) sink.end();
      // The head states the length of the whole body, so the answer can only end with the connection.
      else sink.close();
    });
  };
}

async function endConnection(cut: CutLetters, sink: Sink, waits: Waits): Promise<void> {
  if (cut.endsWith('c')) sink.close();
  else if (cut.endsWith('a')) sink.abort();
  else {
    await waits.wait(heldMsMax, sink);
    sink.destroy();
  }
}
