import { openJson } from '../../formats/open-body.js';
import { transactionOperationsMax } from '../../protocol/limits.js';
import type { RequestRules } from '../request-rules.js';
import { readNestedPath } from './nested-path.js';

/** How storage accounts read requests. Source: operations 2; batch 4. */
export const requestRules: RequestRules = {
  isVersioned: true,
  speaksAtom: true,
  checkPath: () => {},
  hasReadOnlySecondary: true,
  refusalOfComp: () => undefined,
  acceptFirst: false,
  upsertsNegotiate: false,
  takesPatch: true,
  hasSignedRanges: true,
  hasTableRoles: true,
  hasCors: true,
  hasDefaultAccount: false,
  operationsMax: transactionOperationsMax,
  answersEmptyBatches: true,
  countsParts: false,
  refusingTransactions: new Set(),
  readNestedPath,
  openJson,
};
