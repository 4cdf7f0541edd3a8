/** What a start has opened, to be closed in reverse: each before everything that it was opened with. */
export class Stations {
  readonly #closers: (() => unknown)[] = [];
  #closed: Promise<void> | undefined;

  /** Adds what was opened, and what closes it. Returns it. */
  add<T>(opened: T, close: (opened: T) => unknown): T {
    this.closeWith(() => close(opened));
    return opened;
  }

  /** Adds a closing of what was opened elsewhere. */
  closeWith(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Closes everything, even if a part fails. All calls share one closing. Errors: the first one. */
  close(): Promise<void> {
    this.#closed ??= this.#closeAll();
    return this.#closed;
  }

  async #closeAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const close of this.#closers.reverse()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
