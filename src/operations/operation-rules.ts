import type { Query } from '../address/query.js';
import type { Change } from '../entity/stored/change.js';
import type { Filter } from '../query/filter/filter.js';
import type { PageStart } from '../query/plan/plan.js';
import type { Table } from '../store/store.js';

/** The rules of operations that differ between services, as a part of a dialect: data and pure functions. */
export interface OperationRules {
  /** Returns the filter that the service applies for the filter of a query. */
  adaptFilter(filter: Filter): Filter;
  /** Whether the names in `$select` include the blanks around them. */
  readonly selectsBlanks: boolean;
  /** Parses a decoded `$top`. Returns undefined if it is absent. Errors: InvalidInput. */
  readTop(text: string | undefined): number | undefined;
  /** Returns the place of a table in lists. A list is in the order of places, and continues at one. */
  tablePlace(name: string): string;
  /** Arranges the tables of an account, sorted by lower-cased name, in the order of their places. */
  arrangeTables(tables: readonly Table[]): readonly Table[];
  /** Returns the canonical form of a table name: equal names become the same text. */
  foldTableName(name: string): string;
  /** Returns the key at which a query of entities continues, or undefined for a first page. Errors: InvalidInput. */
  readEntityStart(query: Query): PageStart | undefined;
  /** Returns the place at which a query of tables continues, or undefined for a first page. Errors: InvalidInput. */
  readTableStart(query: Query): string | undefined;
  /** Checks the name of a new table. Errors: OutOfRangeInput, InvalidResourceName, InvalidInput. */
  checkTableName(name: string): void;
  /**
   * Checks the name by which a path addresses a table, before the table is looked up. Errors: those of the service for a name
   * that no table can have.
   */
  checkAddressedTable(name: string): void;
  readonly hasEmptyKeys: boolean;
  /** Returns whether a change may repeat the entity of an earlier change in the same transaction. */
  mayRepeat(change: Change): boolean;
}
