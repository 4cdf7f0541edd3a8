import type { TableError } from '../../protocol/errors.js';
import { type CatalogueEntry, errorCatalogue } from './error-catalogue.js';
import { describeVariant } from './error-variants.js';

/** Returns status, text and format of an error: the row of its code, with the changes of its variant. */
export function describeError({ code, variant }: TableError): CatalogueEntry {
  const entry = errorCatalogue[code];
  return variant === undefined ? entry : { ...entry, ...describeVariant(variant) };
}
