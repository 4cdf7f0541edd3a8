import { TableError } from '../../protocol/errors.js';
import { cosmosOperationsMax } from '../../protocol/limits.js';
import type { RequestRules } from '../request-rules.js';
import { CosmosText } from './body/cosmos-text.js';

/** How Cosmos DB reads requests. Source: cosmos 1; cosmos 6; cosmos 7; cosmos 13. */
export const requestRules: RequestRules = {
  isVersioned: false,
  speaksAtom: false,
  checkTarget: () => {},
  checkPath,
  // Source: cosmos 15.19.
  hasReadOnlySecondary: false,
  // Newer recordings show only the settings. Source: cosmos 7; cosmos 15.13.
  refusalOfComp: (comp) => (comp === 'properties' ? 'MethodNotAllowed' : 'NotImplemented'),
  acceptFirst: true,
  upsertsNegotiate: true,
  takesPatch: false,
  hasSignedRanges: false,
  // It has roles of its own, for its data plane as a whole.
  hasTableRoles: false,
  hasCors: false,
  hasDefaultAccount: true,
  operationsMax: cosmosOperationsMax,
  answersEmptyBatches: false,
  countsParts: true,
  refusingTransactions: new Set(['InvalidDuplicateRow']),
  readNestedPath,
  openJson: (text) => new CosmosText(text),
};

/** The address of a table whose name has a character that ends the path for the service, bare or encoded. */
const cutAddress = /^tables(?:\(|%28).*(?:[\\?#]|%5c|%3f|%23)/is;

/** Checks that the path of a deletion is that of one table. Errors: MethodNotAllowed. Source: cosmos 15.11. */
function checkPath(path: string, method: string): void {
  if (method !== 'DELETE' || !cutAddress.test(path)) return;
  throw new TableError('MethodNotAllowed', { variant: { name: 'table-name-cut' } });
}

/** Refuses every path of several segments. Errors: InvalidInput. Source: cosmos 15.15. */
function readNestedPath(): never {
  throw new TableError('InvalidInput', { variant: { name: 'path-syntax' } });
}
