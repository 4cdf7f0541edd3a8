import * as vscode from 'vscode';
import type { ListedTable, LogEntry, ServerCalls, SnapshotSummary } from '../../client/calls.js';
import { developmentAccount } from '../../protocol/access/accounts.js';
import { addressOf } from '../server/rejected-requests.js';
import { Tree } from './tree.js';

/** Shortest time between two refreshes, however much programs write. Unit: milliseconds. */
const refreshMs = 1000;

/** How many times as long as a count of all entities it takes until the next: counting reads them. (Our choice: 5 % of the time.) */
const countPauses = 20;

/** The lists of the side bar. */
export interface Views {
  /** Loads tables and snapshots again, soon. */
  refresh(): void;
  /** Shows the rejected requests as they are now. */
  refreshRejected(): void;
}

/** Creates the lists of the side bar. `calls` returns the verbs of the server that is reached. */
export function createViews(
  subscriptions: vscode.Disposable[],
  calls: () => ServerCalls | undefined,
  rejected: () => readonly LogEntry[],
): Views {
  let pauseMs = refreshMs;
  const tables = new Tree(async () => {
    const began = performance.now();
    const listed = await calls()?.tables.list({ count: true });
    pauseMs = Math.max(refreshMs, countPauses * (performance.now() - began));
    return listed ?? [];
  }, tableItem);
  const snapshots = new Tree(async () => (await calls()?.snapshots.list()) ?? [], snapshotItem);
  const requests = new Tree(() => [...rejected()].reverse(), requestItem);
  const view = <Item>(id: string, treeDataProvider: Tree<Item>) => {
    const created = vscode.window.createTreeView(`tabularium.${id}`, { treeDataProvider });
    subscriptions.push(created);
    return created;
  };
  view('tables', tables);
  view('snapshots', snapshots);
  const rejectedView = view('rejected', requests);
  let planned: NodeJS.Timeout | undefined;
  const refresh = () => {
    planned ??= setTimeout(() => {
      planned = undefined;
      tables.refresh();
      snapshots.refresh();
    }, pauseMs);
  };
  subscriptions.push({ dispose: () => clearTimeout(planned) });
  const refreshRejected = () => {
    const { length } = rejected();
    rejectedView.badge = length === 0 ? undefined : { value: length, tooltip: `${length} rejected` };
    requests.refresh();
  };
  return { refresh, refreshRejected };
}

function tableItem({ account, name, entities = 0 }: ListedTable): vscode.TreeItem {
  const count = `${entities} ${entities === 1 ? 'entity' : 'entities'}`;
  return itemOf(name, {
    description: account === developmentAccount.name ? count : `${count} · ${account}`,
    iconPath: new vscode.ThemeIcon('table'),
    command: commandOf('openPage', 'Open', [`#/${account}/data/${name}`]),
  });
}

function snapshotItem({ name, at }: SnapshotSummary): vscode.TreeItem {
  return itemOf(name, {
    description: at.replace('T', ' ').slice(0, 19),
    iconPath: new vscode.ThemeIcon('device-camera'),
    contextValue: 'snapshot',
  });
}

function requestItem(entry: LogEntry): vscode.TreeItem {
  return itemOf(`${entry.StatusCode} ${entry.StatusText}`, {
    description: `${entry.Method} ${addressOf(entry)}`,
    tooltip: entry.Why ?? '',
    iconPath: new vscode.ThemeIcon('error'),
    command: commandOf('why', 'Why', [entry.CorrelationId]),
  });
}

function itemOf(label: string, parts: Partial<vscode.TreeItem>): vscode.TreeItem {
  return Object.assign(new vscode.TreeItem(label), parts);
}

function commandOf(name: string, title: string, words: readonly string[]): vscode.Command {
  return { command: `tabularium.${name}`, title, arguments: [...words] };
}
