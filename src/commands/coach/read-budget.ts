import { ConfigError, shownValue } from '../../config.js';
import { isLimitName, type Limit, limitWords } from '../../insight/budget/budget.js';
import { causeNames } from '../../insight/rules/rules.js';
import { nearestName } from '../../nearest-name.js';

/**
 * Parses a budget: limits as `name=number`, the most that is allowed, or `name>=number`, the least, separated by commas.
 *
 * Errors: ConfigError with the limit that is wrong, and what to write.
 */
export function readBudget(text: string): readonly Limit[] {
  const limits = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(readLimit);
  if (limits.length === 0) throw new ConfigError('--budget is empty. Write limits, as warn=0,read=20000.');
  for (const [at, { name, bound }] of limits.entries()) {
    const isTwice = limits.findIndex((other) => other.name === name && other.bound === bound) !== at;
    if (isTwice) throw new ConfigError(`--budget limits ${name} twice. Keep one of the two.`);
  }
  return limits;
}

function readLimit(text: string): Limit {
  const [, name = '', sign, number] = /^([^<>=\s]+)\s*(=|<=|>=)\s*(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (sign === undefined) {
    throw new ConfigError(
      `--budget: '${shownValue(text)}' is not a limit. Write a name and a number, as warn=0 or density>=0.1.`,
    );
  }
  if (!isLimitName(name)) {
    const meant = nearestName(name, [...limitWords.keys(), ...causeNames]);
    const hint =
      meant === undefined ? `The names are: ${[...limitWords.keys()].join(', ')}.` : `Did you mean '${meant}'?`;
    throw new ConfigError(`--budget: there is nothing named '${shownValue(name)}'. ${hint}`);
  }
  return { name, bound: sign === '>=' ? 'least' : 'most', allowed: Number(number) };
}
