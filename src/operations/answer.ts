import type { Change } from '../entity/stored/change.js';
import type { EntityKey, EntityText } from '../entity/stored/entity.js';
import type { AccessPolicy } from '../protocol/access/access-policy.js';
import type { DelegationKeyFields } from '../protocol/access/user-delegation.js';
import type { ServiceProperties } from '../protocol/service-properties.js';
import type { Filter } from '../query/filter/filter.js';
import type { PageStart } from '../query/plan/plan.js';
import type { Select } from '../query/select.js';
import type { Page, Table } from '../store/store.js';

/** A query of entities. */
export interface EntityQuery {
  readonly filter: Filter | undefined;
  readonly select: Select | undefined;
  readonly top: number | undefined;
  /** The start of a later page; undefined for the first one. */
  readonly startAt: PageStart | undefined;
}

/** The changes of a request, all in one partition. */
export interface WrittenEntities {
  /** The name of the table as the first operation spells it. */
  readonly table: string;
  readonly changes: readonly Change[];
}

/** The answer of an operation, as values. The dialect of the listener decides status, headers and format. */
export type Answer =
  /** One entity. An absent `select` means all properties, without a mention of `$select`. */
  | { readonly kind: 'entity'; readonly text: EntityText; readonly select: Select | undefined }
  | { readonly kind: 'entity-inserted'; readonly key: EntityKey; readonly text: EntityText }
  /** An update without a condition is an upsert. */
  | { readonly kind: 'entity-updated'; readonly text: EntityText; readonly isUpsert: boolean }
  | { readonly kind: 'entity-deleted' }
  | {
      readonly kind: 'entities';
      readonly page: Page;
      readonly query: EntityQuery;
    }
  | { readonly kind: 'table'; readonly name: string }
  | { readonly kind: 'table-created'; readonly name: string; readonly created: string }
  | { readonly kind: 'table-deleted' }
  /** A page of tables. `next` is the first match after it, if there is one. */
  | { readonly kind: 'tables'; readonly tables: readonly Table[]; readonly next: Table | undefined }
  | { readonly kind: 'access-policies'; readonly policies: readonly AccessPolicy[] }
  | { readonly kind: 'access-policies-set' }
  | { readonly kind: 'service-properties'; readonly properties: ServiceProperties }
  | { readonly kind: 'service-properties-set' }
  /** A user delegation key, with its value in base64. */
  | { readonly kind: 'user-delegation-key'; readonly key: DelegationKeyFields; readonly value: string }
  /** The state of replication. `syncedAt` is the time up to which the secondary endpoint has all writes. */
  | { readonly kind: 'service-stats'; readonly syncedAt: Date };
