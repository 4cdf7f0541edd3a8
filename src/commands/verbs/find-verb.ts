import { commandLine } from '../../command-line.js';
import { ConfigError, shownValue } from '../../config.js';
import { didYouMean, nearestName } from '../../nearest-name.js';
import { allVerbs } from '../../verbs/registry.js';
import type { AnyVerb } from '../../verbs/verb.js';
import { methodOf } from '../../verbs/verb-row.js';

/** A command line that names a verb, and the words after its name. */
export interface FoundVerb {
  readonly verb: AnyVerb;
  readonly rest: readonly string[];
}

/** The verbs that have a command. */
export const commandVerbs: readonly AnyVerb[] = allVerbs.filter(({ isForPage }) => !isForPage);

/** Returns the error about a first word that is neither a noun nor one of these commands, with the nearest name. */
export function unknownCommand(word: string, commands: readonly string[]): ConfigError {
  const names = [...commands, ...commandVerbs.flatMap((verb) => [nounOf(verb), methodOf(verb)[0]])];
  const hint = didYouMean(word, names, `To list the commands, run: ${commandLine('help')}`);
  return new ConfigError(`There is no command '${shownValue(word)}'. ${hint}`);
}

/** Returns the noun of a verb, or the verb itself if it has none. */
export function nounOf({ name }: Pick<AnyVerb, 'name'>): string {
  return name.split(' ')[0] ?? '';
}

/** Returns all verbs of a noun, which may be in the plural; none for another word. */
export function verbsOf(noun: string): readonly AnyVerb[] {
  const isPlural = (verb: AnyVerb) => verb.name.includes(' ') && methodOf(verb)[0] === noun;
  const one = commandVerbs.find((verb) => nounOf(verb) === noun || isPlural(verb));
  return one ? commandVerbs.filter((verb) => nounOf(verb) === nounOf(one)) : [];
}

/** Whether a verb answers until its server stops. */
export function isFollower({ name }: Pick<AnyVerb, 'name'>): boolean {
  return name.endsWith(' follow');
}

/** Returns the verb that a noun alone stands for: the noun itself, or the one that reads. */
export function readerOf(verbs: readonly AnyVerb[]): AnyVerb | undefined {
  return verbs.find(({ name }) => !name.includes(' ')) ?? verbs.find(({ name }) => / (?:list|show)$/.test(name));
}

/**
 * Finds the verb of a command line: `snapshot create base`, `snapshots`, `requests --follow`. Returns undefined if it begins with
 * another word. Errors: ConfigError for a noun with another verb, which lists the verbs.
 */
export function findVerb([noun = '', second, ...others]: readonly string[]): FoundVerb | undefined {
  const verbs = verbsOf(noun);
  const [first] = verbs;
  if (!first) return undefined;
  const named = verbs.find(({ name }) => name === `${nounOf(first)} ${second}`);
  if (named) return { verb: named, rest: others };
  const rest = second === undefined ? [] : [second, ...others];
  const follower = verbs.find(isFollower);
  if (follower && rest.includes('--follow'))
    return { verb: follower, rest: rest.filter((word) => word !== '--follow') };
  const reader = readerOf(verbs);
  const isOption = second === undefined || second.startsWith('-');
  const names = verbs.flatMap(({ name }) => name.split(' ')[1] ?? []);
  if (reader && (isOption || names.length === 0 || (reader.words ?? []).length > 0)) return { verb: reader, rest };
  const listed = `The verbs are: ${names.join(', ')}.`;
  if (isOption) throw new ConfigError(`${nounOf(first)} needs a verb. ${listed}`);
  const meant = nearestName(second, names);
  const hint = meant === undefined ? listed : `Did you mean '${nounOf(first)} ${meant}'?`;
  throw new ConfigError(`There is no '${nounOf(first)} ${shownValue(second)}'. ${hint}`);
}

/** Returns how a verb is called, for help and messages: `snapshot create NAME [options]`. */
export function usageOf(verb: AnyVerb, words: string): string {
  return `Usage: ${commandLine(`${verb.name}${words} [options]`)}`;
}
