import * as vscode from 'vscode';
import type { ServerCalls } from '../../client/calls.js';
import { noticeText } from '../notice-text.js';
import type { Commands } from './server-commands.js';

/** Returns the commands that ask the server. `calls` returns its verbs. Errors of a command: those of the verbs, in words for people. */
export function dataCommands(calls: () => ServerCalls): Commands {
  return {
    reset: () => reset(calls()),
    takeSnapshot: async () => {
      const name = await vscode.window.showInputBox({ prompt: 'Name of the snapshot', value: 'base' });
      if (name) await calls().snapshots.create(name);
    },
    restoreSnapshot: async (item) => {
      const name = nameIn(item) ?? (await pickSnapshot(calls()));
      if (name === undefined) return;
      const { tables, undo } = await calls().snapshots.restore(name);
      await offerUndo(calls(), `${tables} tables restored.`, undo);
    },
    copyConnectionString: async () => {
      const accounts = await calls().connectionStrings();
      const names = accounts.map(({ account }) => account);
      const account = names.length > 1 ? await vscode.window.showQuickPick(names, { title: 'Account' }) : names[0];
      const found = accounts.find((one) => one.account === account);
      if (!found) return;
      await vscode.env.clipboard.writeText(found.connectionString);
      vscode.window.setStatusBarMessage(`Copied: the connection string of ${account}`, 3000);
    },
    why: (id) => why(calls(), typeof id === 'string' ? id : undefined),
    explainFilter: async () => {
      const editor = vscode.window.activeTextEditor;
      const filter = editor?.document.getText(editor.selection) ?? '';
      const told = await calls().explain(filter);
      const subject = told.isRejected ? `${told.status} ${told.code}` : told.class;
      await vscode.window.showInformationMessage(sentencesOf(`${subject}: ${told.text}`, told.advice));
    },
  };
}

async function reset(calls: ServerCalls): Promise<void> {
  const detail = 'All tables of all accounts go back to the seed, or are removed. This can be undone for ten minutes.';
  const picked = await vscode.window.showWarningMessage('Reset all data?', { modal: true, detail }, 'Reset');
  if (picked === undefined) return;
  const { tables, undo } = await calls.reset();
  await offerUndo(calls, `${tables} tables reset.`, undo);
}

async function offerUndo(calls: ServerCalls, text: string, undo: string | undefined): Promise<void> {
  const picked = await vscode.window.showInformationMessage(text, ...(undo === undefined ? [] : ['Undo']));
  if (picked !== undefined) await calls.undo(undo);
}

async function pickSnapshot(calls: ServerCalls): Promise<string | undefined> {
  const items = (await calls.snapshots.list()).map(({ name, at }) => ({ label: name, description: at }));
  return (await vscode.window.showQuickPick(items, { placeHolder: 'Later data is removed' }))?.label;
}

function nameIn(item: unknown): string | undefined {
  const { name } = (item ?? {}) as { readonly name?: string };
  return name;
}

async function why(calls: ServerCalls, id: string | undefined): Promise<void> {
  const { status, code = '', text, advice, requestId } = await calls.why(id);
  const show = 'Show the Request';
  const picked = await vscode.window.showInformationMessage(sentencesOf(`${status} ${code}: ${text}`, advice), show);
  if (picked !== show) return;
  const { request } = await calls.requests.show(requestId);
  await vscode.commands.executeCommand('tabularium.openPage', `#/${request.AccountName ?? '-'}/requests/${requestId}`);
}

function sentencesOf(...parts: readonly (string | undefined)[]): string {
  return noticeText(parts.filter((part) => part !== undefined).join(' '));
}
