import type { ServerResponse } from 'node:http';

/**
 * Sends the body of an answer whose status and headers are written, and ends the answer or the connection. It is the seam for
 * faults on the way to the client; without one, http sends the answer whole and at once.
 *
 * `isChunked` tells whether the body comes in chunks, so that it can end early and look whole.
 * It may go on after it returns. It must end by itself, and must not throw.
 */
export type AnswerDelivery = (response: ServerResponse, body: Uint8Array, isChunked: boolean) => void;
