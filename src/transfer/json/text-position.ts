/** Counts lines and columns of a text that comes in parts. */
export class TextPosition {
  #text = '';
  /** The lines before `#counted`. */
  #lines = 1;
  #counted = 0;
  /** Where the last line begins in the current part: negative if it began in an earlier one. */
  #lineStart = 0;

  /** Begins the next part. */
  begin(text: string): void {
    this.#text = text;
    this.#counted = 0;
  }

  /** Ends the part. */
  end(): void {
    this.#countTo(this.#text.length);
    this.#lineStart -= this.#text.length;
    this.#text = '';
  }

  /** Returns the place of a position in the current part, from 1. Positions must ascend. */
  of(at: number): { readonly line: number; readonly column: number } {
    this.#countTo(at);
    return { line: this.#lines, column: at - this.#lineStart + 1 };
  }

  #countTo(at: number): void {
    for (let end = this.#text.indexOf('\n', this.#counted); end >= 0 && end < at; ) {
      this.#lines++;
      this.#lineStart = end + 1;
      this.#counted = end + 1;
      end = this.#text.indexOf('\n', this.#counted);
    }
  }
}
