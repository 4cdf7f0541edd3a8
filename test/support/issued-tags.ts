import { expect } from 'vitest';

/** Every ETag that a server ever gave, and the version of an entity that it was given for. */
export class IssuedTags {
  readonly #versions = new Map<string, string>();

  /** A write was acknowledged with this tag, which nobody may have seen. */
  issue(etag: string, version: string): void {
    expect(this.#versions.get(etag), `${etag} of ${version} was given before`).toBeUndefined();
    this.#versions.set(etag, version);
  }

  /** A version was read with this tag: its own, or, where its write was not acknowledged, a new one. */
  see(etag: string, version: string): void {
    const known = this.#versions.get(etag);
    if (known === undefined) this.issue(etag, version);
    else expect(version, `${etag} is of another version`).toBe(known);
  }

  get count(): number {
    return this.#versions.size;
  }
}
