import type { BranchSummary, BranchWish } from '../state/contract.js';
import { askControl, textOf } from './ask-control.js';
import type { CommandConfig } from './server-options.js';
import { branchVerbs, checkVerb } from './verb-words.js';

/** What a call of the command asks for. */
export interface BranchQuestion extends BranchWish {
  readonly verb: keyof typeof branchVerbs;
  /** The account of the branch to delete. */
  readonly name: string | undefined;
  readonly json?: true;
}

/** Makes, lists or deletes branches of a running server. `print` gets one line. */
export async function useBranches(
  config: CommandConfig,
  { verb, name, from, account, seconds, json }: BranchQuestion,
  print: (line: string) => void,
): Promise<void> {
  const words = name === undefined ? [] : [name];
  checkVerb('branch', branchVerbs[verb], { verb, words, options: { from, account, seconds } });
  const question = {
    create: { method: 'POST', path: '/branches', body: { from, account, seconds } },
    list: { path: '/branches' },
    delete: { method: 'DELETE', path: `/branches/${encodeURIComponent(name ?? '')}`, body: {} },
  } as const;
  const text = await textOf(await askControl(config, question[verb]));
  if (json) return print(text.trimEnd());
  const answer = JSON.parse(text);
  // Alone on its line, so that a script can take it as it is.
  if (verb === 'create') print((answer as { readonly connectionString: string }).connectionString);
  else if (verb === 'delete') print('deleted');
  else {
    for (const { account, from, expires } of (answer as { readonly branches: readonly BranchSummary[] }).branches) {
      const source = from.snapshot === undefined ? from.account : `${from.account} of ${from.snapshot}`;
      print(`${account} from ${source}, until ${expires}`);
    }
  }
}
