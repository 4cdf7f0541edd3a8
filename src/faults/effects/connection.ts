import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AnswerDelivery } from '../../service/answer-delivery.js';
import { ClientGone } from '../../service/read-body.js';
import type { Effect } from '../effect.js';
import type { Waits } from '../waits.js';
import { heldMsMax } from './latency.js';

/**
 * The ways to break a connection, by the letters of Azure's http-fault-injector: `p` sends the head and half of the body, `n`
 * sends nothing; then nothing more comes, or the connection is closed (`c`), aborted (`a`), or the answer ends (`pn`).
 */
export const cutLetters = ['p', 'pc', 'pa', 'pn', 'n', 'nc', 'na'] as const;

/** One of the ways to break a connection. */
export type CutLetters = (typeof cutLetters)[number];

/** Returns the effect of breaking the connection of a request, before its operation or after it. */
export function cutConnection(cut: CutLetters, when: 'before' | 'after'): Effect {
  return async ({ hit, exchange, waits }, run) => {
    if (!hit()) return run();
    if (cut.startsWith('p')) {
      exchange.delivery = sendHalf(cut, waits);
      return run();
    }
    // A request that its operation refuses gets the same as one that it accepts: nothing.
    if (when === 'after') await Promise.allSettled([run()]);
    await endConnection(cut, exchange.response, waits);
    throw new ClientGone();
  };
}

/** Returns the delivery of a head and half of a body. */
function sendHalf(cut: CutLetters, waits: Waits): AnswerDelivery {
  return (response, body, isChunked) => {
    const half = body.subarray(0, Math.floor(body.length / 2));
    response.flushHeaders();
    if (half.length > 0) response.write(half);
    // An abort would discard what the system does not have yet.
    response.socket?.write('', () => {
      if (cut !== 'pn') {
        // A client that leaves has what it needs.
        endConnection(cut, response, waits).catch(() => {});
      } else if (isChunked) response.end();
      // The head names the length of the whole body, so the answer can only end with the connection.
      else response.socket?.end();
    });
  };
}

async function endConnection(cut: CutLetters, response: ServerResponse, waits: Waits): Promise<void> {
  const { socket } = response;
  if (cut.endsWith('c')) socket?.end();
  else if (cut.endsWith('a')) abort(socket);
  else {
    await waits.wait(heldMsMax, response);
    socket?.destroy();
  }
}

/**
 * Aborts a connection. Node.js cannot reset one of TLS, so that is closed at once. The system of a client may discard what it has
 * when the reset comes, if the client has not read it. RFC 9293, section 3.10.7.4, wants that.
 */
function abort(socket: Socket | null): void {
  if (!socket) return;
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}
