import { writeConnectionString } from '../protocol/connection-string.js';
import type { State } from '../state/state.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { answerJson, type ControlRow } from './control-row.js';
import { explaining } from './explain-state-fault.js';
import type { ServerInfo } from './info.js';
import { readFields } from './read-fields.js';

const branches = `${controlRoot}/branches`;

/** Returns the rows of branches: throw-away accounts that begin as a copy. */
export function branchRows(state: State, { rootOf }: Pick<ServerInfo, 'rootOf'>): readonly ControlRow[] {
  const rows: readonly ControlRow[] = [
    {
      method: 'GET',
      path: branches,
      purpose: 'all branches',
      run: async () => answerJson(200, { branches: await state.listBranches() }),
    },
    {
      method: 'POST',
      path: branches,
      purpose: 'makes a throw-away account that begins as a copy; {"from","account","seconds"}',
      takes: 'json',
      async run({ body, root, port }) {
        const wish = readFields(body, { from: 'name', account: 'name', seconds: 'number' });
        const branch = await state.branch(wish);
        if (root === undefined) return answerJson(200, branch);
        // An SDK takes every URL with localhost for one of Cosmos DB, unless the account is the development account.
        const reached = root.replace(/\/\/localhost(?=:|$)/i, '//127.0.0.1');
        const { account: name, key, dialect } = branch;
        const account = { name, keys: [key], dialect };
        const connectionString = writeConnectionString(rootOf(reached, port, dialect), account);
        return answerJson(200, { ...branch, connectionString });
      },
    },
    {
      method: 'DELETE',
      path: `${branches}/*`,
      purpose: 'removes a branch',
      async run({ path }) {
        await state.endBranch(path.slice(branches.length + 1));
        return answerJson(200, {});
      },
    },
  ];
  return rows.map((row) => ({ ...row, run: explaining(row.run) }));
}
