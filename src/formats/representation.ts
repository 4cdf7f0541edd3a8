import type { EntityLinks } from '../entity/write-row.js';
import type { MetadataLevel } from '../protocol/edm.js';

/** What the answer to a POST should contain. Source: operations 5.4. */
export type Prefer = 'return-content' | 'return-no-content';

/** The form of an answer: what http negotiated from the headers of a request, and what the links in the answer begin with. */
export interface Representation {
  readonly level: MetadataLevel;
  /** What a POST asked for in `Prefer`. */
  readonly prefer: Prefer | undefined;
  readonly links: EntityLinks;
}

/** The form of errors that occur before anything is negotiated. */
export const defaultRepresentation: Representation = {
  level: 'minimalmetadata',
  prefer: undefined,
  links: { base: '', account: '', table: '' },
};
