/** A message that was received. */
export interface ReceivedMessage<T> {
  readonly body: T;
  /** How often it was received, this time included. */
  readonly dequeueCount: number;
  /** Removes the message. Without it, the message comes again. */
  delete(): void;
}

/**
 * Stands in for a queue of the storage account: a message that was received is hidden for a while, and comes again unless it
 * is deleted. It keeps what the examples use of a queue, in memory.
 */
export class QueueStandIn<T> {
  #messages: { readonly body: T; visibleAt: number; dequeueCount: number }[] = [];

  get length(): number {
    return this.#messages.length;
  }

  send(body: T): void {
    this.#messages.push({ body, visibleAt: 0, dequeueCount: 0 });
  }

  /** Receives the oldest visible message and hides it for a time, in milliseconds. Undefined if there is none. */
  receive(hiddenMs: number): ReceivedMessage<T> | undefined {
    const message = this.#messages.find(({ visibleAt }) => visibleAt <= Date.now());
    if (!message) return undefined;
    message.visibleAt = Date.now() + hiddenMs;
    return {
      body: message.body,
      dequeueCount: ++message.dequeueCount,
      delete: () => {
        this.#messages = this.#messages.filter((one) => one !== message);
      },
    };
  }
}
