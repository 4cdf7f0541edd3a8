import { escapeText } from '../config.js';
import { describeError } from '../dialects/storage/describe-error.js';
import type { RefusedFilter } from '../insight/why/filter/explained-filter.js';
import { judgeFilter } from '../insight/why/filter/judge-filter.js';
import { shownLine } from './shown-line.js';

/** What `tabularium explain` prints, and whether the service refuses the filter. */
export interface FilterReport {
  readonly lines: readonly string[];
  readonly isRefused: boolean;
}

/** Explains a `$filter` in lines for people: its class in the cloud with advice, or why the service refuses it. */
export function explainFilterText(text: string): FilterReport {
  const judged = judgeFilter(text, describeError);
  const { isRefused, advice } = judged;
  const lines = isRefused ? refusalLines(text, judged) : [`${judged.class}: ${judged.text}`];
  return { lines: advice === undefined ? lines : [...lines, advice], isRefused };
}

function refusalLines(filter: string, { status, code, message, text, at, length = 1 }: RefusedFilter): string[] {
  const { line, column } = shownLine(filter, at ?? 0);
  return [
    `${status} ${code}: ${escapeText(message.split('\n')[0] ?? '')}`,
    ...(at === undefined
      ? []
      : [`  ${line}`, `  ${' '.repeat(column)}${'^'.repeat(Math.min(length, line.length + 1 - column))}`]),
    text,
  ];
}
