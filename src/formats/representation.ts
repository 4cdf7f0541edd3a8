import type { EntityKey } from '../entity/stored/entity.js';
import { type EntityLinks, encodeKey, entityPath } from '../entity/stored/write-row.js';
import type { MetadataLevel } from '../protocol/values/edm.js';

/** The requested content of the answer to a write. Source: operations 5.4. */
export type Prefer = 'return-content' | 'return-no-content';

interface AnyRepresentation {
  readonly prefer: Prefer | undefined;
  readonly links: EntityLinks;
}

/** An answer in JSON, with as much metadata as its level has. */
export interface JsonRepresentation extends AnyRepresentation {
  readonly level: MetadataLevel;
  /** Whether entities at minimal metadata have no `odata.etag`. Absent: false. Source: operations 6. */
  readonly untagged?: boolean;
}

/** An answer in Atom, which has one level. Its errors are XML. */
export interface AtomRepresentation extends AnyRepresentation {
  readonly level: 'atom';
  /** Whether documents declare the namespaces of geographic data. Source: atom 3.1. */
  readonly declaresGeography: boolean;
  /** The time of the answer, in whole seconds. Source: atom 3.1. */
  readonly updated: string;
}

/** The form of an answer: the format negotiated from the headers of a request, and the base of its links. */
export type Representation = JsonRepresentation | AtomRepresentation;

const nowhere = { prefer: undefined, links: { base: '', account: '', table: '' } } as const;

/** JSON for answers that are errors and have no links. */
export const jsonOfErrors: Representation = { level: 'minimalmetadata', ...nowhere };

/** Atom for answers that are errors and have no links. */
export const atomOfErrors: Representation = { level: 'atom', declaresGeography: true, updated: '', ...nowhere };

/** Returns the URL of an entity. */
export function entityUrl({ partitionKey, rowKey }: EntityKey, { base, table }: EntityLinks): string {
  return `${base}/${entityPath(table, partitionKey, rowKey)}`;
}

/** Returns the URL of a table. */
export function tableUrl(name: string, { base }: EntityLinks): string {
  return `${base}/${tablePath(name)}`;
}

/** Returns the path of a table relative to the base. The `$` of the tables of analytics is encoded. Source: atom 3.1. */
export function tablePath(name: string): string {
  return `Tables('${encodeKey(name)}')`;
}
