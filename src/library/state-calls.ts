import { accountEndpoint, connectionString, type EndpointOf } from '../commands/connection-strings.js';
import { type CallControl, ControlRefusal } from '../control/call-row.js';
import type {
  BranchSummary,
  DiffReport,
  MadeBranch,
  ResetReport,
  RestoreReport,
  SnapshotSummary,
  UndoReport,
  UndoSummary,
} from '../state/contract.js';
import type { StateCalls } from './tabularium.js';

/** Returns the calls of an instance that change its data as a whole. The rows of its control endpoints answer them. */
export function createStateCalls(call: CallControl, endpointOf: EndpointOf): StateCalls {
  return {
    async reset(target = {}) {
      const body = typeof target === 'string' ? { account: target } : target;
      return (await call({ method: 'POST', path: '/reset', body })) as ResetReport;
    },
    async snapshot(name, options = {}) {
      return (await call({ method: 'PUT', path: `/snapshots/${name}`, body: options })) as SnapshotSummary;
    },
    async restore(name, options = {}) {
      return (await call({ method: 'POST', path: `/snapshots/${name}/restore`, body: options })) as RestoreReport;
    },
    async snapshots() {
      const answer = await call({ method: 'GET', path: '/snapshots' });
      return (answer as { readonly snapshots: readonly SnapshotSummary[] }).snapshots;
    },
    async branch(wish = {}) {
      const branch = (await call({ method: 'POST', path: '/branches', body: wish })) as MadeBranch;
      const { account: name, key, dialect } = branch;
      const account = { name, keys: [key], dialect };
      let deleted: Promise<void> | undefined;
      const remove = () => {
        deleted ??= call({ method: 'DELETE', path: `/branches/${name}` }).then(() => {});
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
    async branches() {
      const answer = await call({ method: 'GET', path: '/branches' });
      return (answer as { readonly branches: readonly BranchSummary[] }).branches;
    },
    async diff(wish) {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(wish)) if (value !== undefined) query.set(name, String(value));
      return (await call({ method: 'GET', path: '/diff', query })) as DiffReport;
    },
    async undo(id) {
      return (await call({ method: 'POST', path: id === undefined ? '/undo' : `/undo/${id}`, body: {} })) as UndoReport;
    },
    async undoable() {
      const answer = await call({ method: 'GET', path: '/undo' });
      return (answer as { readonly undo: readonly UndoSummary[] }).undo;
    },
    async deleteSnapshot(name) {
      await call({ method: 'DELETE', path: `/snapshots/${name}` });
    },
  };
}

function throwUnlessMissing(error: unknown): void {
  if (!(error instanceof ControlRefusal && error.status === 404)) throw error;
}
