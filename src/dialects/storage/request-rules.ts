import { openJson } from '../../formats/open-body.js';
import { TableError } from '../../protocol/errors.js';
import { transactionOperationsMax } from '../../protocol/limits.js';
import type { RequestRules } from '../request-rules.js';
import { readNestedPath } from './nested-path.js';

/** How storage accounts read requests. Source: operations 2; batch 4. */
export const requestRules: RequestRules = {
  isVersioned: true,
  speaksAtom: true,
  checkTarget,
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

/** Matches a target whose path has a control character of ASCII or one of five of Latin-1, percent-encoded. Source: operations 4.4. */
const controlCharacter = /^[^?]*?%(?:[01][0-9a-f]|7f|c2%(?:81|8d|8f|90|9d))/i;

/** Checks that the web server in front of the service lets a target through. Errors: InvalidUri. */
function checkTarget(target: string): void {
  if (!controlCharacter.test(target)) return;
  const hasNul = /^[^?]*?%00/.test(target);
  throw new TableError('InvalidUri', { variant: { name: 'path-control-character', hasNul } });
}
