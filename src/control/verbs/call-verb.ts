import { checkInput } from '../../verbs/check-input.js';
import type { AnyVerb, VerbServer } from '../../verbs/verb.js';
import { wholeObject } from './answer-object.js';
import { refusalOf } from './refusal-of.js';

/**
 * Calls a verb of a server within this process: without HTTP, and so without the guard. Returns its answer, or the stream of its
 * lines or of its file. Errors: Refusal, in words for the caller.
 */
export type CallVerb = (verb: AnyVerb, asked: object) => Promise<unknown>;

/** Returns the function that calls the verbs of a server. */
export function createCallVerb(server: VerbServer): CallVerb {
  return async (verb, asked) => {
    try {
      const input = checkInput(verb, asked);
      if (verb.sends === 'lines') return (await verb.run(server, input, {})).setEncoding('utf8');
      if (verb.sends === 'file') return (await verb.run(server, input, {})).body;
      return await wholeObject((await verb.run(server, input, {})) as object);
    } catch (error) {
      throw refusalOf(error) ?? error;
    }
  };
}
