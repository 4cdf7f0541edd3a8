import type { Sink } from '../../service/gate.js';
import type { Effect } from './effect.js';
import type { Waits } from './waits.js';

/** Time between two parts of a slow body. Unit: milliseconds. */
const stepMs = 100;

/** Returns the effect of sending the body of the answer at this rate. Unit: bytes a second. */
export function slowBody(bytesPerSecond: number): Effect {
  return async ({ hit, marks, waits }, run) => {
    if (hit()) {
      marks.delivery = (sink, body) => {
        // A client that leaves needs no more of it.
        trickle(sink, body, bytesPerSecond, waits).catch(() => {});
      };
    }
    return run();
  };
}

async function trickle(sink: Sink, body: Uint8Array, bytesPerSecond: number, waits: Waits): Promise<void> {
  const stepBytes = Math.max(1, Math.floor((bytesPerSecond * stepMs) / 1000));
  const pauseMs = (stepBytes * 1000) / bytesPerSecond;
  sink.flushHead();
  for (let at = 0; at < body.length; ) {
    const isReleased = (await waits.wait(pauseMs, sink)) === 'released';
    const end = isReleased ? body.length : at + stepBytes;
    sink.write(body.subarray(at, end));
    at = end;
  }
  sink.end();
}
