import type { TableErrorCode } from '../protocol/error-codes.js';
import { TableError } from '../protocol/errors.js';
import { pageRowsMax } from '../protocol/limits.js';

const knownOptions: ReadonlySet<string> = new Set(['$filter', '$select', '$top', '$format']);

/** OData options that the service does not implement. */
const unsupportedOptions: ReadonlySet<string> = new Set([
  '$orderby',
  '$skip',
  '$skiptoken',
  '$expand',
  '$count',
  '$inlinecount',
]);

/**
 * Parses a decoded `$top`, the maximum number of rows of the page. Returns undefined if it is absent.
 *
 * Errors: InvalidInput unless it is an integer from 0 to 1000. Source: query 6.3.
 */
export function readTop(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text) || Number(text) > pageRowsMax) throw invalidOption('$top', text);
  return Number(text);
}

/**
 * Checks that all options with a `$` exist in OData. Names without `$` are not checked.
 *
 * Errors: InvalidInput (400). Source: query 1; checks-order 5 step 1.
 */
export function checkOptionNames(names: Iterable<string>): void {
  for (const name of names) {
    if (!name.startsWith('$') || knownOptions.has(name) || unsupportedOptions.has(name)) continue;
    throw invalidOption(name, '');
  }
}

/**
 * Rejects the options of OData that the service does not implement. Call it after all other checks of the query.
 *
 * Errors: NotImplemented (501). Source: query 1; checks-order 5 step 3.
 */
export function rejectUnsupportedOptions(names: Iterable<string>): void {
  for (const name of names) if (unsupportedOptions.has(name)) throw invalidOption(name, '', 'NotImplemented');
}

/** Returns the error of an option of a query. `value` is decoded. */
export function invalidOption(option: string, value: string, code: TableErrorCode = 'InvalidInput'): TableError {
  const variant = code === 'InvalidInput' ? ({ name: 'query-input' } as const) : undefined;
  return new TableError(code, { variant, evidence: () => ({ check: 'query-option', option, value }) });
}
