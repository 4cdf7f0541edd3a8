import type { StoreOperation } from '../operation.js';

/**
 * Get Table Service Stats: the state of replication, on the secondary endpoint only. Nothing is replicated here, so the
 * secondary is always live and up to date.
 *
 * Errors, before it runs: InvalidQueryParameterValue on the primary endpoint (400). Source: operations 8.8.
 */
export const getServiceStats: StoreOperation = {
  name: 'Get Table Service Stats',
  kind: 'store',

  run({ now }) {
    return { kind: 'service-stats', syncedAt: new Date(now()) };
  },
};
