import type { EntityKey, Property } from './entity.js';

/**
 * The tag an existing entity must have: `*` for any, else the tag exactly as `etagOf` writes it. Absent: the entity need
 * not exist.
 */
export type IfMatch = string | undefined;

/** One change to one entity, as an operation asks for it and the store applies it. */
export type Change =
  /** Stores an entity whose key is free. */
  | { readonly kind: 'insert'; readonly key: EntityKey; readonly properties: readonly Property[] }
  /** Stores an entity, dropping what was there. */
  | {
      readonly kind: 'replace';
      readonly key: EntityKey;
      readonly properties: readonly Property[];
      readonly ifMatch: IfMatch;
    }
  /** Stores the given properties beside those that are there. */
  | {
      readonly kind: 'merge';
      readonly key: EntityKey;
      readonly properties: readonly Property[];
      readonly ifMatch: IfMatch;
    }
  /** Removes an entity. */
  | { readonly kind: 'delete'; readonly key: EntityKey; readonly ifMatch: IfMatch };

/** Why a change cannot be made to an entity as it stands. The operations room knows what the service calls it. */
export type ChangeRefusal =
  | 'entity-exists'
  | 'entity-missing'
  | 'etag-differs'
  | 'properties-too-many'
  | 'property-name-too-long'
  | 'entity-too-large'
  | 'property-value-too-large';
