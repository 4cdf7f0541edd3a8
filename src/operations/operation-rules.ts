import type { Query } from '../address/query.js';
import type { Change } from '../entity/stored/change.js';
import type { Filter } from '../query/filter/filter.js';
import type { PageStart } from '../query/plan/plan.js';
import type { Table } from '../store/store.js';

/**
 * How a service reads what operations get, where the services differ. It is part of a dialect: data and pure functions.
 */
export interface OperationRules {
  /** Returns the filter by which the service finds the rows of a query. */
  adaptFilter(filter: Filter): Filter;
  /** Whether the names in `$select` are taken with the blanks around them. */
  readonly selectsBlanks: boolean;
  /** Parses a decoded `$top`. Returns undefined if it is absent. Errors: InvalidInput. */
  readTop(text: string | undefined): number | undefined;
  /** Returns the place of a table in lists. A list is in the order of places, and continues at one. */
  tablePlace(name: string): string;
  /** Returns the tables of an account, which are by lower-cased name, in the order of their places. */
  arrangeTables(tables: readonly Table[]): readonly Table[];
  /** Returns a name of a table in the form in which equal names are the same text. */
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
  /** Returns whether a change may be to an entity that an earlier change of the same transaction is about. */
  mayRepeat(change: Change): boolean;
}
