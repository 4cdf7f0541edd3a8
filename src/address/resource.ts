import type { EntityKey } from '../entity/stored/entity.js';

/**
 * The resource that a path names. A table name is spelled as in the request; the store compares table names without
 * regard to case. Source: operations 1.2.
 */
export type Resource =
  | { readonly kind: 'service' }
  | { readonly kind: 'batch' }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'tables' }
  | { readonly kind: 'table'; readonly table: string }
  | { readonly kind: 'entities'; readonly table: string }
  | { readonly kind: 'entity'; readonly table: string; readonly key: EntityKey };

/** A path of several segments, which each service reads in its own way. */
export interface NestedPath {
  readonly kind: 'nested';
  /** At least two segments, decoded. None is empty. */
  readonly segments: readonly string[];
}
