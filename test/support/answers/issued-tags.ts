import { expect } from 'vitest';

/** Every ETag that a server has issued, with the version of its entity. */
export class IssuedTags {
  readonly #versions = new Map<string, string>();

  /** Records the tag of an acknowledged write. The tag must be new. */
  issue(etag: string, version: string): void {
    expect(this.#versions.get(etag), `${etag} of ${version} was given before`).toBeUndefined();
    this.#versions.set(etag, version);
  }

  /** Records the tag of a version that was read. It must be the tag of that version, or a new one. */
  see(etag: string, version: string): void {
    const known = this.#versions.get(etag);
    if (known === undefined) this.issue(etag, version);
    else expect(version, `${etag} is of another version`).toBe(known);
  }

  get count(): number {
    return this.#versions.size;
  }
}
