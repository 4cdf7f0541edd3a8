import { randomInt } from 'node:crypto';
import { type ReadRule, readRule } from './read-rule.js';
import { readRuleTexts } from './read-rule-text.js';
import { InvalidRule } from './read-value.js';
import type { DecideChange, KeptRule, NewRule } from './rule-keeper.js';

/** How many rules there are at most, and how many are listed after they have ended. Ours: each costs every request. */
const rulesMax = 100;

/** How long rules last: as they say, or as long as the server. */
export type Lasting = 'usual' | 'always';

/**
 * Returns the change that adds rules, after those before them. A rule with the id of another takes its place. A value is a
 * rule, or `{ text }` with rules in words. Rules without an id get one that begins with `prefix`.
 *
 * Errors: InvalidRule, also of the change.
 */
export function addition(values: readonly unknown[], lasts: Lasting, prefix: string): DecideChange {
  const read = readRules(values, lasts);
  return (present) => {
    const named = new Set(read.map(({ rule }) => rule.id));
    const replaced = present.filter(({ id }) => named.has(id));
    const others = present.filter(({ id }) => !named.has(id));
    const [ended, active] = [others.filter((one) => one.ended), others.filter((one) => !one.ended)];
    if (active.length + read.length > rulesMax) throw new InvalidRule(`There can be at most ${rulesMax} rules.`);
    const removed = [...replaced, ...ended.slice(0, -rulesMax)].map(({ number }) => number);
    return { removed, added: withIds(read, present, prefix) };
  };
}

/** Returns the change that puts these rules in the place of all others. Errors: InvalidRule, also of the change. */
export function replacement(values: readonly unknown[], prefix: string): DecideChange {
  const add = addition(values, 'usual', prefix);
  return (present) => ({ removed: present.map(({ number }) => number), added: add([]).added });
}

/** Returns the change that removes the rule with an id, or all. */
export function removal(id?: string): DecideChange {
  return (present) => ({
    removed: present.filter((one) => id === undefined || one.id === id).map(({ number }) => number),
    added: [],
  });
}

/** Reads rules, and texts of rules. Errors: InvalidRule. */
function readRules(values: readonly unknown[], lasts: Lasting): readonly ReadRule[] {
  const read = values.flatMap((value) => {
    const isText = typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
    if (isText && Object.keys(value).length > 1) {
      throw new InvalidRule('A text has no other fields beside it. Write them as words: flaky table=Jobs for=10m.');
    }
    return (isText ? readRuleTexts(value.text as string) : [value]).map(readRule);
  });
  const named = read.flatMap(({ rule }) => rule.id ?? []);
  const twice = named.find((id, at) => named.indexOf(id) !== at);
  if (twice !== undefined) throw new InvalidRule(`Two rules have the id ${twice}.`);
  return lasts === 'always' ? read.map((one) => ({ ...one, lastsMs: undefined })) : read;
}

/** Gives ids and seeds to the rules that have none. */
function withIds(read: readonly ReadRule[], present: readonly KeptRule[], prefix: string): readonly NewRule[] {
  const used = new Set([...present.map(({ id }) => id), ...read.map(({ rule }) => rule.id)]);
  let made = Math.max(0, ...present.map(({ number }) => number));
  const freeId = () => {
    for (;;) {
      const id = `${prefix}-${++made}`;
      if (!used.has(id)) return id;
    }
  };
  return read.map(({ rule, lastsMs }) => ({
    id: rule.id ?? freeId(),
    rule,
    seed: rule.seed ?? randomInt(2 ** 32),
    lastsMs,
  }));
}
