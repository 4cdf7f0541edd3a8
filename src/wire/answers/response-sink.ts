import type { ServerResponse } from 'node:http';
import type { Sink } from '../../service/gate.js';

/** The way to a client, on an answer of Node.js. */
export class ResponseSink implements Sink {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get isGone(): boolean {
    return this.#response.destroyed;
  }

  onGone(act: () => void): () => void {
    this.#response.once('close', act);
    return () => void this.#response.off('close', act);
  }

  flushHead(): void {
    this.#response.flushHeaders();
  }

  write(bytes: Uint8Array): void {
    this.#response.write(bytes);
  }

  whenTaken(act: () => void): void {
    this.#response.socket?.write('', act);
  }

  end(): void {
    this.#response.end();
  }

  close(): void {
    this.#response.socket?.end();
  }

  destroy(): void {
    this.#response.socket?.destroy();
  }

  abort(): void {
    const { socket } = this.#response;
    if (!socket) return;
    // Node.js cannot reset a connection of TLS, so that is closed at once.
    if ('encrypted' in socket) socket.destroy();
    else socket.resetAndDestroy();
  }
}
