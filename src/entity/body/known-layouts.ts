import { type BodyLayout, findLayout } from './body-layout.js';
import type { SentEntity } from './sent-entity.js';

/** Maximum number of layouts. One that does not match costs a twentieth of reading JSON. */
const layoutsMax = 16;

/** After that many tries, one in this number of other bodies is tried, because a try costs more than reading the body. */
const learnedOf = 32;

/** The layouts of bodies that were read, those in use first. Holds names and types, no values. */
export class KnownLayouts {
  readonly #layouts: BodyLayout[] = [];
  #unknown = 0;

  /** Reads a body whose layout is known. Returns undefined for any other. Errors: as `readEntity`. */
  read(body: string): SentEntity | undefined {
    const layouts = this.#layouts;
    for (let at = 0; at < layouts.length; at++) {
      const layout = layouts[at] as BodyLayout;
      const entity = layout.read(body);
      if (entity === undefined) continue;
      const before = layouts[at - 1];
      if (before) {
        layouts[at - 1] = layout;
        layouts[at] = before;
      }
      return entity;
    }
    return undefined;
  }

  /** Learns the layout of a body that `readEntity` has accepted and `read` did not know. It may take the place of the last one. */
  learn(body: string): void {
    this.#unknown++;
    if (this.#unknown > layoutsMax && this.#unknown % learnedOf !== 0) return;
    const layout = findLayout(body);
    if (layout === undefined) return;
    if (this.#layouts.length === layoutsMax) this.#layouts.pop();
    this.#layouts.push(layout);
  }
}
