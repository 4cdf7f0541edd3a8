import { readDuration } from '../../duration.js';
import { nearestName } from '../../nearest-name.js';

/** A rule that cannot be used. The message names the field and says what it can be. Nothing was changed. */
export class InvalidRule extends Error {
  override readonly name = 'InvalidRule';
}

/** How many rules there are at most, and how many are listed after they have ended. (Our choice: each costs every request.) */
export const rulesMax = 100;

/** Checks how many rules there are. Errors: InvalidRule. */
export function checkCount(count: number): void {
  if (count > rulesMax) throw new InvalidRule(`At most ${rulesMax} rules are allowed.`);
}

/** Checks a value of a rule. `path` is its name in messages. Errors: InvalidRule. */
export type ValueReader<Value> = (value: unknown, path: string) => Value;

/** The readers of the fields of an object. */
export type FieldReaders<Fields> = { readonly [Name in keyof Fields]: ValueReader<Fields[Name]> };

/** Reads an object of optional fields. Errors: InvalidRule for another value, an unknown field or a wrong value. */
export function readObject<Fields>(value: unknown, path: string, readers: FieldReaders<Fields>): Partial<Fields> {
  const known = new Map<string, ValueReader<unknown>>(Object.entries(readers));
  const names = [...known.keys()].join(', ');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidRule(`${path} must be an object with any of: ${names || 'nothing'}.`);
  }
  const read = Object.entries(value).flatMap(([name, one]) => {
    const reader = known.get(name);
    if (!reader) throw new InvalidRule(`${path} has no field '${name.slice(0, 60)}'. ${hint(name, [...known.keys()])}`);
    return one === undefined ? [] : [[name, reader(one, path === 'The rule' ? name : `${path}.${name}`)] as const];
  });
  return Object.fromEntries(read) as Partial<Fields>;
}

/** Returns the nearest of the known names, or all of them, as a sentence. */
export function hint(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known);
  if (meant !== undefined) return `Did you mean '${meant}'?`;
  return known.length === 0 ? 'It has no parameters.' : `It can be: ${known.join(', ')}.`;
}

/** Reads a text that is not empty. */
export const text: ValueReader<string> = (value, path) => {
  if (typeof value === 'string' && value !== '') return value;
  throw new InvalidRule(`${path} must be a non-empty string.`);
};

/** Reads a text, which may be empty, as keys may be. */
export const anyText: ValueReader<string> = (value, path) => {
  if (typeof value === 'string') return value;
  throw new InvalidRule(`${path} must be a string.`);
};

/** Reads true or false. */
export const flag: ValueReader<boolean> = (value, path) => {
  if (typeof value === 'boolean') return value;
  throw new InvalidRule(`${path} must be true or false.`);
};

/** Returns a reader of numbers between two bounds, which are allowed. */
export function number(min: number, max: number): ValueReader<number> {
  return (value, path) => {
    if (typeof value === 'number' && value >= min && value <= max) return value;
    throw new InvalidRule(`${path} must be a number from ${min} to ${max}.`);
  };
}

/** Returns a reader of whole numbers between two bounds, which are allowed. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): ValueReader<number> {
  return (value, path) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new InvalidRule(`${path} must be a whole number ${range}.`);
  };
}

/** Returns a reader of one of some words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): ValueReader<Word> {
  return (value, path) => {
    const word = words.find((one) => one === value);
    if (word !== undefined) return word;
    throw unknownWord(value, path, words);
  };
}

/**
 * Returns the error for a value that is none of some words. A list or an object is not shown: it may be nested more deeply than
 * the stack allows, or have a `toString` that is not a function.
 */
export function unknownWord(value: unknown, path: string, words: readonly string[]): InvalidRule {
  const isPlain = typeof value !== 'object' || value === null;
  const shown = isPlain ? String(JSON.stringify(value)).slice(0, 60) : Array.isArray(value) ? 'a list' : 'an object';
  return new InvalidRule(`${path} cannot be ${shown}. ${hint(typeof value === 'string' ? value : '', words)}`);
}

/** Reads a duration, as `60s`, and keeps its text. Errors: InvalidRule also for one of no length. */
export const duration: ValueReader<string> = (value, path) => {
  const ms = typeof value === 'string' ? readDuration(value) : undefined;
  if (ms !== undefined && ms > 0) return value as string;
  throw new InvalidRule(`${path} must be a duration, such as 500ms, 60s, 5m or 1h.`);
};
