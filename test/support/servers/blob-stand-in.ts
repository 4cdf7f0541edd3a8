/** Stands in for a container of blobs: names with bytes. It keeps what the examples use of a container, in memory. */
export class BlobStandIn {
  readonly #blobs = new Map<string, Buffer>();

  upload(name: string, bytes: Buffer): void {
    this.#blobs.set(name, bytes);
  }

  /** Returns the bytes of a blob, or undefined if there is none. */
  download(name: string): Buffer | undefined {
    return this.#blobs.get(name);
  }

  delete(name: string): void {
    this.#blobs.delete(name);
  }

  /** Lists the names. */
  list(): readonly string[] {
    return [...this.#blobs.keys()].sort();
  }
}
