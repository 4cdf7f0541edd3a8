import type { ServerCalls } from '../client/calls.js';
import { accountEndpoint, connectionString, type EndpointOf } from '../client/connection-strings.js';
import { Refusal } from '../verbs/verb.js';
import type { BranchCalls } from './tabularium.js';

/** Returns the calls of branches. A branch that is made can remove itself. */
export function createBranchCalls(branches: ServerCalls['branches'], endpointOf: EndpointOf): BranchCalls {
  return {
    ...branches,
    async create(options = {}) {
      const branch = await branches.create(options);
      const { account: name, key, dialect } = branch;
      const account = { name, keys: [key], dialect };
      let deleted: Promise<void> | undefined;
      const remove = () => {
        deleted ??= branches.delete(name);
        return deleted;
      };
      return {
        ...branch,
        connectionString: connectionString(endpointOf(account), account),
        endpoint: accountEndpoint(endpointOf(account), account),
        delete: remove,
        // A branch that has ended by itself must not hide the error of the block that it was for.
        [Symbol.asyncDispose]: () => remove().catch(throwUnlessMissing),
      };
    },
  };
}

function throwUnlessMissing(error: unknown): void {
  if (!(error instanceof Refusal && error.status === 404)) throw error;
}
