import { commandLine } from '../../command-line.js';
import { ConfigError, shownValue } from '../../config.js';
import { didYouMean, nearestName } from '../../nearest-name.js';
import { allVerbs } from '../../verbs/registry.js';
import type { AnyVerb } from '../../verbs/verb.js';
import { methodOf } from '../../verbs/verb-row.js';

/** The verb of a command line, with the words after its name. */
export interface VerbMatch {
  readonly verb: AnyVerb;
  readonly rest: readonly string[];
}

/** The verbs that have a command. */
export const commandVerbs: readonly AnyVerb[] = allVerbs.filter(({ isForPage }) => !isForPage);

/** Returns the error about an unknown first word, with the nearest command or noun. */
export function unknownCommand(word: string, commands: readonly string[]): ConfigError {
  const names = [...commands, ...commandVerbs.flatMap((verb) => [nounOf(verb), methodOf(verb)[0]])];
  const hint = didYouMean(word, names, `To list the commands, run: ${commandLine('help')}`);
  return new ConfigError(`There is no command '${shownValue(word)}'. ${hint}`);
}

/** Returns the noun of a verb, or the verb itself if it has none. */
export function nounOf({ name }: Pick<AnyVerb, 'name'>): string {
  return name.split(' ')[0] ?? '';
}

/** Returns the verbs of a noun in the singular or plural; empty for other words. */
export function verbsOf(noun: string): readonly AnyVerb[] {
  const isPlural = (verb: AnyVerb) => verb.name.includes(' ') && methodOf(verb)[0] === noun;
  const one = commandVerbs.find((verb) => nounOf(verb) === noun || isPlural(verb));
  return one ? commandVerbs.filter((verb) => nounOf(verb) === nounOf(one)) : [];
}

/** Whether a verb streams until its server stops. */
export function isFollower({ name }: Pick<AnyVerb, 'name'>): boolean {
  return name.endsWith(' follow');
}

/** Returns the default verb of a noun: the noun itself, or the one that lists or shows. */
export function readerOf(verbs: readonly AnyVerb[]): AnyVerb | undefined {
  return verbs.find(({ name }) => !name.includes(' ')) ?? verbs.find(({ name }) => / (?:list|show)$/.test(name));
}

/**
 * Finds the verb of a command line, such as `snapshot create base`, `snapshots` or `requests --follow`; undefined if the first word is
 * not a noun. Errors: ConfigError for a noun with an unknown verb, with suggestions.
 */
export function findVerb([noun = '', second, ...others]: readonly string[]): VerbMatch | undefined {
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

/** Returns the usage line of a verb, for help and messages: `snapshot create NAME [options]`. */
export function usageOf(verb: AnyVerb, words: string): string {
  return `Usage: ${commandLine(`${verb.name}${words} [options]`)}`;
}
