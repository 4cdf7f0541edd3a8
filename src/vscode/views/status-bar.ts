import * as vscode from 'vscode';
import type { WindowServer } from '../server/window-server.js';

/**
 * Creates the item of the status bar. Returns the function that shows how things are now, with the number of rejected requests. The
 * item appears with the first start, so that it is of no trouble to people who do not use the extension in a folder.
 */
export function createStatusBar(subscriptions: vscode.Disposable[], server: WindowServer): (rejected: number) => void {
  const item = vscode.window.createStatusBarItem('tabularium', vscode.StatusBarAlignment.Left, 10);
  item.name = 'Tabularium';
  subscriptions.push(item);
  return (rejected) => {
    const { state, url, fault } = server;
    const isReached = url !== undefined;
    const count = rejected === 0 ? '' : ` $(error) ${rejected}`;
    const icon =
      state === 'starting' ? 'loading~spin' : isReached ? 'table' : fault === undefined ? 'circle-slash' : 'warning';
    item.text = `$(${icon}) Tables${isReached ? ` ${new URL(url).port}${count}` : ''}`;
    const about = isReached
      ? `Tabularium at ${url}${state === 'attached' ? ', of another window' : ''}`
      : 'Start Tabularium';
    item.tooltip = [
      about,
      ...(rejected === 0 ? [] : [`${rejected} rejected requests`]),
      ...(fault ? [fault] : []),
    ].join('\n');
    item.command = `tabularium.${isReached ? 'openPage' : 'start'}`;
    item.backgroundColor =
      rejected > 0 || fault !== undefined ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    if (state !== 'stopped' || fault !== undefined) item.show();
  };
}
