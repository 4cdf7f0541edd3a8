import { TableError } from '../protocol/errors.js';
import type { StoreOperation } from './operation.js';

/** Get User Delegation Key. This server does not have it yet: it answers 501, and docs/divergences.md says so. */
export const getUserDelegationKey: StoreOperation = {
  name: 'Get User Delegation Key',
  kind: 'store',

  read() {
    throw new TableError('NotImplemented');
  },

  run() {
    throw new Error('reading refuses every request');
  },
};
