import { TableError } from '../protocol/errors.js';
import { pageRowsMax } from '../protocol/limits.js';

/** OData options that queries of tables and entities take. */
const knownOptions = new Set(['$filter', '$select', '$top', '$format']);

/** OData options that the service does not implement. */
const unsupportedOptions = new Set(['$orderby', '$skip', '$skiptoken', '$expand', '$count', '$inlinecount']);

/**
 * Reads a decoded `$top`: most rows of the page, undefined where it is absent.
 *
 * Errors: InvalidInput for anything but a whole number from 0 to 1000. Source: queries, section 6.3.
 */
export function readTop(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text) || Number(text) > pageRowsMax) throw new TableError('InvalidInput');
  return Number(text);
}

/**
 * Refuses the options that OData does not have. Names without `$` are not OData's and pass.
 *
 * Errors: InvalidInput (400). Source: queries, section 1; checks-order, section 5 step 1.
 */
export function checkOptionNames(names: Iterable<string>): void {
  for (const name of names) {
    if (!name.startsWith('$') || knownOptions.has(name) || unsupportedOptions.has(name)) continue;
    throw new TableError('InvalidInput');
  }
}

/**
 * Refuses the options that OData has and the service does not. Comes after all other checks of the query.
 *
 * Errors: NotImplemented (501). Source: queries, section 1; checks-order, section 5 step 3.
 */
export function refuseUnsupportedOptions(names: Iterable<string>): void {
  for (const name of names) if (unsupportedOptions.has(name)) throw new TableError('NotImplemented');
}
