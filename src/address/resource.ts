import type { EntityKey } from '../entity/entity.js';

/**
 * What a path names. Table names are as the request spells them; the store knows them without regard to case.
 * Source: operations, "Resource forms".
 */
export type Resource =
  | { readonly kind: 'service' }
  | { readonly kind: 'batch' }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'tables' }
  | { readonly kind: 'table'; readonly table: string }
  | { readonly kind: 'entities'; readonly table: string }
  | { readonly kind: 'entity'; readonly table: string; readonly key: EntityKey };
