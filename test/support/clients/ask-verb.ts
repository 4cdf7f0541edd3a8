import type { RunningServer } from '../../../src/server.js';
import { allVerbs } from '../../../src/verbs/registry.js';

/** Asks a verb of a server by its name. */
export async function askVerb(
  { callVerb }: Pick<RunningServer, 'callVerb'>,
  name: string,
  asked: object = {},
): Promise<unknown> {
  const verb = allVerbs.find((one) => one.name === name);
  if (!verb) throw new Error(`There is no verb ${name}.`);
  return callVerb(verb, asked);
}
