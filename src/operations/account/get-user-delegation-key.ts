import { TableError } from '../../protocol/errors.js';
import type { StoreOperation } from '../operation.js';

/** Get User Delegation Key, which this server does not implement. Errors: NotImplemented (501). Source: docs/divergences.md. */
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
