import type { TableError } from '../../protocol/errors.js';
import { type CatalogueEntry, errorCatalogue } from './error-catalogue.js';
import { describeVariant } from './error-variants.js';

/** Returns what an error is sent as: the row of its code, with what its variant changes. */
export function describeError({ code, variant }: TableError): CatalogueEntry {
  const entry = errorCatalogue[code];
  return variant === undefined ? entry : { ...entry, ...describeVariant(variant) };
}
