import { type ErrorVariant, TableError, type TableErrorCode } from '../protocol/errors.js';
import type { RefusalEvidence } from '../protocol/refusal-evidence.js';

type Feature = Extract<RefusalEvidence, { readonly check: 'not-in-service' }>['feature'];

/** Returns the error for what the service of an account does not have. Its evidence tells the developer what to do. */
export function notInService(code: TableErrorCode, feature: Feature, variant?: ErrorVariant): TableError {
  return new TableError(code, { variant, evidence: () => ({ check: 'not-in-service', feature }) });
}
