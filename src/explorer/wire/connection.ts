import { computed, signal } from '@preact/signals';
import { ask } from './host.js';

/** The server did not answer: it has ended, or the network is down. It may or may not have run the request. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';

  constructor() {
    super('The server is not responding. Is it still running?');
  }
}

/** Since when the server has not answered. Unit: milliseconds since 1970; undefined: it answers. */
export const lostSince = signal<number | undefined>(undefined);

/** Whether the last request was answered. */
export const isConnected = computed(() => lostSince.value === undefined);

/** Sends a request, and notes whether the server answers. Errors: Unreachable; AbortError. */
export async function reach(path: string, request: RequestInit): Promise<Response> {
  try {
    const answer = await ask(path, request);
    lostSince.value = undefined;
    return answer;
  } catch (error) {
    // A browser has no other sign of a connection that failed.
    if (!(error instanceof TypeError)) throw error;
    lostSince.value ??= Date.now();
    throw new Unreachable();
  }
}
