import { ConfigError, shownValue } from '../config.js';
import type { BudgetLimit } from '../insight/budget/budget.js';
import { type BudgetMetric, budgetMetrics } from '../insight/budget/budget-metrics.js';
import { nearestName } from '../nearest-name.js';

/**
 * Parses a budget: limits as `name=number`, the most that is allowed, or `name>=number`, the least, separated by commas.
 *
 * Errors: ConfigError with the limit that is wrong, and what to write.
 */
export function readBudget(text: string): readonly BudgetLimit[] {
  const limits = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(readLimit);
  if (limits.length === 0) throw new ConfigError('--budget is empty. Write limits, as table-scan=0,scanned=20000.');
  for (const [at, { metric, bound }] of limits.entries()) {
    const isTwice = limits.findIndex((other) => other.metric === metric && other.bound === bound) !== at;
    if (isTwice) throw new ConfigError(`--budget limits ${metric.name} twice. Keep one of the two.`);
  }
  return limits;
}

function readLimit(text: string): BudgetLimit {
  const [, name = '', sign, number] = /^([^<>=\s]+)\s*(=|<=|>=)\s*(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (sign === undefined) {
    throw new ConfigError(
      `--budget: '${shownValue(text)}' is not a limit. Write a name and a number, as table-scan=0 or density>=0.1.`,
    );
  }
  return { metric: findMetric(name), bound: sign === '>=' ? 'least' : 'most', allowed: Number(number) };
}

function findMetric(name: string): BudgetMetric {
  const metric = budgetMetrics.find((one) => one.name === name);
  if (metric) return metric;
  const names = budgetMetrics.map((one) => one.name);
  const meant = nearestName(name, names);
  const hint = meant === undefined ? `The names are: ${names.join(', ')}.` : `Did you mean '${meant}'?`;
  throw new ConfigError(`--budget: there is nothing named '${shownValue(name)}'. ${hint}`);
}
