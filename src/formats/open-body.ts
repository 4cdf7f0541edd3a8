import type { AlikeBodies } from '../entity/body/alike-bodies.js';
import type { RequestBody } from '../operations/operation.js';
import { BodyText } from './body-text.js';

/** The format of an entity or a table in a body. */
export type BodyFormat = 'json' | 'atom';

/** Returns the body of a request for an operation. `alike` reads the entities of all bodies of a server. */
export type BodyOpener = (text: string, alike?: AlikeBodies) => RequestBody;

/** Opens a body in JSON, or in the XML of `?comp=`. */
export const openJson: BodyOpener = (text, alike) => new BodyText(text, alike);

/** The body of a request that has none. */
export const emptyBody: RequestBody = openJson('');

/** Loads the opener of bodies in Atom on demand, because most servers never receive them. */
export async function loadAtomOpener(): Promise<BodyOpener> {
  const { AtomText } = await import('./atom/atom-text.js');
  return (text) => new AtomText(text);
}
