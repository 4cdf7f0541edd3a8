import { list, object } from '../../schema.js';
import { BranchSummary } from '../../state/contract.js';
import { verb } from '../verb.js';

export const branchList = verb({
  name: 'branch list',
  does: 'List the branches, the next to expire first.',
  http: 'GET /branches',
  changes: 'nothing',
  example: 'branches',
  takes: {},
  answers: object('BranchList', 'All branches.', { branches: list('The branches.', BranchSummary) }),
  lists: 'branches',
  run: async ({ state }) => ({ branches: await state.listBranches() }),
  lines: ({ branches }) =>
    branches.map(({ account, from, expires }) => {
      const source = from.snapshot === undefined ? from.account : `${from.account} of ${from.snapshot}`;
      return `${account} from ${source}, until ${expires}`;
    }),
});
