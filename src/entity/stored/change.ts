import type { EntityKey, Property } from './entity.js';

/**
 * The ETag that the entity must have: `*` for any ETag, otherwise the text that `etagOf` returns. If it is absent, the
 * entity need not exist.
 */
export type IfMatch = string | undefined;

/** One change to one entity. Operations create changes and the store applies them. */
export type Change =
  /** Stores an entity that does not exist yet. */
  | {
      readonly kind: 'insert';
      readonly key: EntityKey;
      readonly properties: readonly Property[];
      /** The text of the properties for `writeEntityText`, if it is known. */
      readonly members?: string | undefined;
    }
  /** Stores an entity and drops all properties of the existing one. */
  | {
      readonly kind: 'replace';
      readonly key: EntityKey;
      readonly properties: readonly Property[];
      readonly ifMatch: IfMatch;
    }
  /** Stores the given properties and keeps the other properties of the existing entity. */
  | {
      readonly kind: 'merge';
      readonly key: EntityKey;
      readonly properties: readonly Property[];
      readonly ifMatch: IfMatch;
    }
  | { readonly kind: 'delete'; readonly key: EntityKey; readonly ifMatch: IfMatch };

/** The reason why a change cannot be applied. The operations layer maps it to an error code. */
export type ChangeRejection =
  | 'entity-exists'
  | 'entity-missing'
  | 'etag-differs'
  | 'properties-too-many'
  | 'property-name-too-long'
  | 'entity-too-large'
  | 'property-value-too-large';
