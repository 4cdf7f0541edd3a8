import type { RestoreReport, SnapshotSummary } from '../state/contract.js';
import { askControl, textOf } from './ask-control.js';
import { undoHint } from './reset.js';
import type { CommandConfig } from './server-options.js';
import { askedRoot } from './server-url.js';
import { checkVerb, snapshotVerbs } from './verb-words.js';

/** What a call of the command asks for. */
export interface SnapshotQuestion {
  readonly verb: keyof typeof snapshotVerbs;
  /** The name of the snapshot; needed for all but `list`. */
  readonly name: string | undefined;
  readonly account?: string;
  readonly json?: true;
}

/** Takes, restores, lists or deletes snapshots of a running server. `print` gets one line. */
export async function useSnapshots(
  config: CommandConfig,
  { verb, name, account, json }: SnapshotQuestion,
  print: (line: string) => void,
): Promise<void> {
  checkVerb('snapshot', snapshotVerbs[verb], { verb, words: name === undefined ? [] : [name], options: { account } });
  const path = `/snapshots${verb === 'list' ? '' : `/${encodeURIComponent(name ?? '')}`}`;
  const body = account === undefined ? {} : { account };
  const question = {
    take: { method: 'PUT', path, body },
    restore: { method: 'POST', path: `${path}/restore`, body },
    list: { path },
    show: { path },
    delete: { method: 'DELETE', path, body: {} },
  } as const;
  const text = await textOf(await askControl(config, question[verb]));
  if (json) return print(text.trimEnd());
  for (const line of linesOf(verb, JSON.parse(text), askedRoot(config))) print(line);
}

function linesOf(verb: SnapshotQuestion['verb'], answer: unknown, server: string): readonly string[] {
  if (verb === 'delete') return ['deleted'];
  if (verb === 'restore') {
    const { tables, undo } = answer as RestoreReport;
    return [`${tables} tables restored${undoHint(tables, undo, server)}`];
  }
  const listed =
    verb === 'list'
      ? (answer as { readonly snapshots: readonly SnapshotSummary[] }).snapshots
      : [answer as SnapshotSummary];
  return listed.map(({ name, at, accounts }) => {
    const parts = accounts.map((account) => `${account.name} (${account.tables} tables)`);
    return `${name} ${at} ${parts.join(', ')}`;
  });
}
