/** How many bytes may be sent before the other end has taken them, because messages of an editor wait without a bound. */
export const creditBytes = 1024 * 1024;

/** Counts the bytes that one end has sent and the other has not acknowledged yet. */
export class Credit {
  #open = 0;
  #wake = () => {};

  /** Notes that bytes are sent. Resolves when more may be. */
  async spend(bytes: number): Promise<void> {
    this.#open += bytes;
    while (this.#open >= creditBytes) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Notes that the other end has taken bytes. */
  give(bytes: number): void {
    this.#open -= bytes;
    this.#wake();
  }
}

/** Counts the bytes that one end has taken, and acknowledges them in pieces of 1 MiB. */
export class Taken {
  #open = 0;
  readonly #acknowledge: (bytes: number) => void;

  constructor(acknowledge: (bytes: number) => void) {
    this.#acknowledge = acknowledge;
  }

  /** Notes that bytes are taken. */
  add(bytes: number): void {
    this.#open += bytes;
    if (this.#open < creditBytes) return;
    this.#acknowledge(this.#open);
    this.#open = 0;
  }
}
