import { name, object, optional } from '../../schema.js';
import { MadeBranch } from '../../state/contract.js';
import { account, duration, readLength } from '../fields.js';
import { verb } from '../verb.js';

const CreatedBranch = object('CreatedBranch', 'A branch that was made, with what clients need.', {
  ...MadeBranch.entries,
  connectionString: optional(name('Its connection string, by the host that the caller used.')),
});

export const branchCreate = verb({
  name: 'branch create',
  does: 'Create a throwaway account as a copy of a snapshot or an account.',
  http: 'POST /branches',
  changes: 'data',
  example: 'branch create --from base',
  takes: {
    from: optional(name('A snapshot, or an account as it is now (default: `seed` if it exists).', { value: 'STATE' })),
    account: account('The account of a snapshot of several (default: the first one).'),
    for: optional(duration('When it ends by itself (default: 1h, at most 7d).', { example: '10m' })),
  },
  answers: CreatedBranch,
  async run({ state, connectionStringOf }, { for: length, ...wish }, caller) {
    const lasting = length !== undefined && { seconds: readLength(length, 'for') / 1000 };
    const branch = await state.branch({ ...wish, ...lasting });
    const connectionString = connectionStringOf(branch, caller);
    return { ...branch, ...(connectionString !== undefined && { connectionString }) };
  },
  // Alone on its line, so that a script can take it as it is.
  lines: ({ connectionString }) => (connectionString === undefined ? [] : [connectionString]),
});
