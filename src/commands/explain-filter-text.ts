import { classifyQuery } from '../coach/classify-query.js';
import { queryClassWords, queryFlagWords } from '../coach/query-classes.js';
import { escapeText } from '../config.js';
import { describeError } from '../dialects/storage/describe-error.js';
import { explainFilter } from '../explain/explain-filter.js';
import { TableError } from '../protocol/errors.js';
import { parseFilter } from '../query/parse-filter.js';
import { shownLine } from './shown-line.js';

/** What `tabularium explain` prints, and whether the service refuses the filter. */
export interface FilterReport {
  readonly lines: readonly string[];
  readonly isRefused: boolean;
}

/** Explains a `$filter`: its class in the cloud with advice, or why the service refuses it. */
export function explainFilterText(text: string): FilterReport {
  try {
    const { class: name, flags } = classifyQuery(parseFilter(text));
    const advice = flags.flatMap((flag) => queryFlagWords[flag] ?? []);
    return { lines: [`${name}: ${queryClassWords[name]}`, ...advice], isRefused: false };
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    return { lines: refusalLines(text, error), isRefused: true };
  }
}

function refusalLines(text: string, error: TableError): readonly string[] {
  const { status, message } = describeError(error);
  const { text: what, advice, at, length = 1 } = explainFilter(text, error);
  const { line, column } = shownLine(text, at ?? 0);
  return [
    `${status} ${error.code}: ${escapeText(message.split('\n')[0] ?? '')}`,
    ...(at === undefined
      ? []
      : [`  ${line}`, `  ${' '.repeat(column)}${'^'.repeat(Math.min(length, line.length + 1 - column))}`]),
    what,
    ...(advice === undefined ? [] : [advice]),
  ];
}
