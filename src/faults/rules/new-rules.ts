import { randomInt } from 'node:crypto';
import type { FaultRule } from '../contract.js';
import { checkCount, InvalidRule } from './invalid-rule.js';
import { type ReadRule, readRule } from './read-rule.js';
import { readRuleTexts } from './read-rule-text.js';

/** A rule with the fields that clients may omit. */
export interface NewRule {
  readonly id: string;
  /** As requested, with the defaults of its kind. */
  readonly rule: FaultRule;
  readonly seed: number;
  /** How long it lasts. Unit: milliseconds. Undefined: until it has acted `times` times, or is removed. */
  readonly lastsMs: number | undefined;
}

/** How long rules last: as they specify, or as long as the server. */
export type Lasting = 'usual' | 'always';

/** Reads rules, each an object or `{ text }` with rules in words. Errors: InvalidRule, also for too many rules or a duplicate id. */
export function readRules(values: readonly unknown[], lasts: Lasting): readonly ReadRule[] {
  const read: ReadRule[] = [];
  for (const value of values) {
    const isText = typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
    if (isText && Object.keys(value).length > 1) {
      throw new InvalidRule(
        'Rules in words cannot be combined with other fields. Write them all as words: flaky table=Jobs for=10m.',
      );
    }
    read.push(...(isText ? readRuleTexts(value.text as string) : [value]).map(readRule));
    checkCount(read.length);
  }
  const named = read.flatMap(({ rule }) => rule.id ?? []);
  const twice = named.find((id, at) => named.indexOf(id) !== at);
  if (twice !== undefined) throw new InvalidRule(`Two rules have the id ${twice}.`);
  return lasts === 'always' ? read.map((one) => ({ ...one, lastsMs: undefined })) : read;
}

/** Fills in ids and seeds of rules. New ids are the next free numbers after `total`. */
export function completeRules(
  read: readonly ReadRule[],
  present: readonly { readonly id: string }[],
  total: number,
): readonly NewRule[] {
  const used = new Set([...present.map(({ id }) => id), ...read.map(({ rule }) => rule.id)]);
  let next = total;
  const freeId = () => {
    for (;;) {
      const id = `fault-${++next}`;
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
