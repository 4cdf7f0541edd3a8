import { name } from '../../schema.js';
import { Done } from '../fields.js';
import { verb } from '../verb.js';

export const branchDelete = verb({
  name: 'branch delete',
  does: 'Delete a branch and its data.',
  http: 'DELETE /branches/{account}',
  changes: 'data',
  example: 'branch delete branch1',
  takes: { account: name('The account of the branch.', { value: 'ACCOUNT', example: 'branch1' }) },
  words: ['account'],
  answers: Done,
  async run({ state }, { account }) {
    await state.endBranch(account);
    return {};
  },
  lines: () => ['deleted'],
});
