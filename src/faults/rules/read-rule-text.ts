import { didYouMean, nearestName } from '../../nearest-name.js';
import { tableErrorCodes } from '../../protocol/error-codes.js';
import { ownText } from '../../remembered.js';
import { readEffect } from '../effects/fault-kinds.js';
import { checkCount, InvalidRule } from './invalid-rule.js';
import { profiles, withSeeds } from './profiles.js';

/** Words for conditions and for the rule's own fields. All others are parameters of the kind. */
const conditionWords: ReadonlySet<string> = new Set([
  ...['account', 'table', 'operation', 'partitionKey', 'partitionKeyPrefix', 'rowKey', 'header', 'userAgent', 'scoped'],
]);
const ruleWords: ReadonlySet<string> = new Set(['id', 'probability', 'seed', 'after', 'times', 'for']);

/** Longest text of rules. Unit: characters. (Our choice: the limit for the body of a command in bytes.) */
const textMax = 64 * 1024;

/** A rule in a list: up to the next semicolon outside of quotes. An open quote extends to the end. */
const ruleInList = /(?:[^";]|"[^"]*(?:"|$))+/g;

const fullWords: ReadonlyMap<string, string> = new Map([['op', 'operation']]);

const codeOfStatus: ReadonlyMap<string, string> = new Map([
  ['503', 'ServerBusy'],
  ['429', 'TooManyRequests'],
  ['500', 'InternalError'],
  ['409', 'TableBeingDeleted'],
]);

/**
 * Reads rules in words: `table=Jobs op=insert fault=503 times=2`, or the name of a profile and words for all of its rules:
 * `flaky seed=7 for=10m`. Semicolons separate rules. Values with blanks or semicolons are in double quotes.
 *
 * Returns values for `readRule`, which checks them. Errors: InvalidRule for any other text, and for too many rules.
 */
export function readRuleTexts(text: string): readonly object[] {
  if (text.length > textMax) throw new InvalidRule(`The rules are longer than ${textMax} characters.`);
  const rules = [...text.matchAll(ruleInList)].map(([one]) => one.trim()).filter((one) => one !== '');
  if (rules.length === 0)
    throw new InvalidRule(`The rule is empty. Write it as table=Jobs op=insert fault=503 times=2.`);
  checkCount(rules.length);
  return rules.flatMap(readRuleText);
}

function readRuleText(text: string): readonly object[] {
  const [, name, rest = ''] = /^([\w-]+)(?:\s+(?!=)(.*))?$/s.exec(text) ?? [];
  if (name === undefined) return [ruleOf(wordsOf(text))];
  const rules = profiles.get(name);
  if (!rules)
    throw new InvalidRule(`There is no profile '${name.slice(0, 60)}'. ${didYouMean(name, [...profiles.keys()])}`);
  const { seed, ...others } = ruleOf(wordsOf(rest), false);
  const all = rules.map((rule) => ({ ...rule, ...others }));
  if (seed === undefined) return all;
  // `readRule` rejects other values.
  return Number.isInteger(seed) ? withSeeds(all, Number(seed)) : all.map((rule) => ({ ...rule, seed }));
}

/** Returns the words of a text as pairs of name and value. Values are copied, because rules retain them. */
function wordsOf(text: string): readonly (readonly [name: string, value: string])[] {
  const words = [...text.matchAll(/\s*([\w.]+)=(?:"([^"]*)"|([^\s"]*))(?=\s|$)/gy)];
  if (words.map(([whole]) => whole).join('') !== text.trimEnd()) {
    throw new InvalidRule(`'${text.slice(0, 60)}' is not a list of words such as fault=503, separated by spaces.`);
  }
  return words.map(([, name = '', quoted, plain = '']) => [fullWords.get(name) ?? name, ownText(quoted ?? plain)]);
}

/** A rule in words that is not checked yet. */
interface SpokenRule {
  readonly seed?: unknown;
  readonly when?: object;
  readonly fault?: object;
}

function ruleOf(words: readonly (readonly [name: string, value: string])[], hasFault = true): SpokenRule {
  const own = words.filter(([name]) => ruleWords.has(name)).map(([name, value]) => [name, spokenValue(name, value)]);
  const when = words
    .filter(([name]) => conditionWords.has(name))
    .map(([name, value]) => [name, conditionOf(name, value)]);
  const kind = words.find(([name]) => name === 'fault')?.[1];
  const parameters = words
    .filter(([name]) => name !== 'fault' && !ruleWords.has(name) && !conditionWords.has(name))
    .map(([name, value]) => [name.replace(/^fault\./, ''), spokenValue(name, value)] as const);
  if (kind !== undefined && !hasFault) throw new InvalidRule('A profile has its own faults. Omit fault=.');
  const [stray] = parameters;
  if (kind === undefined && stray)
    throw new InvalidRule(`The rule needs fault=, which ${stray[0].slice(0, 60)} belongs to.`);
  if (kind !== undefined) checkKind(kind, parameters);
  return {
    ...Object.fromEntries(own),
    ...(when.length > 0 && { when: Object.fromEntries(when) }),
    ...(kind !== undefined && { fault: faultOf(kind, parameters) }),
  };
}

type Parameters = readonly (readonly [name: string, value: unknown])[];

/** Returns the fault of a word, which is a kind, an error code or its status. */
function faultOf(word: string, parameters: Parameters): object {
  const code = codeOfStatus.get(word) ?? tableErrorCodes.find((one) => one === word);
  const fault = code === undefined ? { kind: word } : { kind: 'error', code };
  return { ...fault, ...Object.fromEntries(parameters) };
}

/** Checks a kind with its parameters. An unknown parameter may be a misspelled word. Errors: InvalidRule. */
function checkKind(kind: string, parameters: Parameters): void {
  try {
    readEffect(faultOf(kind, parameters));
  } catch (error) {
    const others = [...conditionWords, ...ruleWords];
    const meant = parameters.map(([name]) => nearestName(name, others)).find((one) => one !== undefined);
    if (!(error instanceof InvalidRule) || meant === undefined) throw error;
    throw new InvalidRule(`${error.message} Or did you mean the word '${meant}'?`);
  }
}

function conditionOf(name: string, value: string): unknown {
  if (name === 'operation') return value.split(',');
  if (name === 'scoped') return spokenValue(name, value);
  if (name !== 'header') return value;
  const [header = '', ...rest] = value.split(':');
  return { name: header, ...(rest.length > 0 && { value: rest.join(':') }) };
}

/** Returns the value of a word: a number, true or false, or the text itself. */
function spokenValue(name: string, text: string): unknown {
  if (name === 'id' || name === 'for') return text;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
