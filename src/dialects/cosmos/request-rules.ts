import { readRepeatedTable } from '../../address/parse-address.js';
import type { NestedPath, Resource } from '../../address/resource.js';
import { TableError } from '../../protocol/errors.js';
import type { RequestRules } from '../request-rules.js';
import { CosmosText } from './cosmos-text.js';

/** How Cosmos DB reads requests. Source: cosmos 1; cosmos 6; cosmos 7; cosmos 13. */
export const requestRules: RequestRules = {
  isVersioned: false,
  speaksAtom: false,
  // Newer recordings show only the settings. Source: cosmos 7; cosmos 15.13.
  refusalOfComp: (comp) => (comp === 'properties' ? 'MethodNotAllowed' : 'NotImplemented'),
  acceptFirst: true,
  upsertsNegotiate: true,
  takesPatch: false,
  hasSignedRanges: false,
  hasCors: false,
  hasDefaultAccount: true,
  operationsMax: Number.POSITIVE_INFINITY,
  answersEmptyBatches: false,
  countsParts: true,
  refusingTransactions: new Set(['InvalidDuplicateRow']),
  readNestedPath,
  openJson: (text) => new CosmosText(text),
};

/** Returns the resource of a path that names its table twice. Errors: ResourceNotFound for any other. */
function readNestedPath(path: NestedPath): Resource {
  const resource = readRepeatedTable(path);
  if (!resource) throw new TableError('ResourceNotFound');
  return resource;
}
