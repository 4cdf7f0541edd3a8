import type { SentEntity } from '../../entity/body/sent-entity.js';
import type { AccessPolicy } from '../../protocol/access/access-policy.js';
import type { EdmType } from '../../protocol/values/edm.js';

/** The keys of a row, as far as it has them. */
export type SentKeys = Pick<SentEntity, 'partitionKey' | 'rowKey'>;

/** A piece of an import, in any format. */
export type TransferItem =
  /** The table of the entities after it. */
  | {
      readonly kind: 'table';
      readonly line: number;
      /** Absent: the account of the import. */
      readonly account?: string | undefined;
      readonly name: string;
      readonly policies?: readonly AccessPolicy[] | undefined;
    }
  | {
      readonly kind: 'entity';
      readonly line: number;
      /** How much text the item keeps in memory. Unit: UTF-16 code units. */
      readonly units: number;
      /** Its JSON. Absent: it has none. */
      readonly text?: string;
      /** Reads the entity. Errors: TableError, as for a request. */
      read(): SentEntity;
      /** Returns the keys as far as they can be read. */
      readKeys(): SentKeys;
      /** Returns the place of a property in the line, from 1; undefined if it is not known. */
      columnOf(property: string): number | undefined;
    }
  /** A row that cannot be read at all. */
  | {
      readonly kind: 'unreadable';
      readonly line: number;
      readonly column?: number;
      readonly error: Error;
      /** Returns the keys as far as they can be read. */
      readKeys?(): SentKeys;
      /** Whether it is a table header, so that the rows after it have no table. */
      readonly isTable?: true;
    }
  /** Begins rows, perhaps none, without a table name. */
  | { readonly kind: 'unnamed'; readonly line: number }
  /** The inferred column types of the table. */
  | { readonly kind: 'inferred'; readonly types: ReadonlyMap<string, EdmType> };

/** The items of a file, in parts. */
export type TransferItems = AsyncIterable<readonly TransferItem[]>;
