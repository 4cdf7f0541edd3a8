import { TableError } from '../protocol/errors.js';
import type { StoreOperation } from './operation.js';

/** An operation of the service that this server does not have yet: 501, and a row in docs/divergences.md. */
export function notImplemented(name: string): StoreOperation {
  return {
    name,
    kind: 'store',
    run() {
      throw new TableError('NotImplemented');
    },
  };
}
