import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { LogEntry, ServerCalls } from '../client/calls.js';
import { addAgents } from './agents.js';
import { startBlobsAndQueues } from './azurite.js';
import { dataCommands } from './commands/data-commands.js';
import { serverCommands } from './commands/server-commands.js';
import { PageTab } from './page/open-page.js';
import { followServer } from './server/follow-server.js';
import { addressOf, RejectedRequests } from './server/rejected-requests.js';
import { callsOf } from './server/server-calls.js';
import { storageOf } from './server/setting-words.js';
import { WindowServer } from './server/window-server.js';
import { addTasks } from './tasks.js';
import { createStatusBar } from './views/status-bar.js';
import { createViews } from './views/views.js';

/** Puts the parts of the extension together. The editor calls it once in each window. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const { subscriptions, extensionUri, extension } = context;
  const log = vscode.window.createOutputChannel('Tabularium', { log: true });
  const pathOf = (...parts: readonly string[]) => vscode.Uri.joinPath(extensionUri, ...parts);
  const server = new WindowServer({
    ...{ log, program: pathOf('server', 'run-server.mjs').fsPath },
    token: process.env['TABULARIUM_ADMIN_TOKEN'] || randomBytes(24).toString('base64url'),
    values: () => settingsOf(extension),
    folders: () => {
      const open = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
      return { open, storage: storageOf(context.globalStorageUri.fsPath, open) };
    },
  });
  const page = new PageTab(pathOf('page'), () => server.target);
  const bar = createStatusBar(subscriptions, server);
  const rejected = new RejectedRequests((added) => {
    if (added) log.warn(rejectedLine(added));
    bar(rejected.list.length);
    views.refreshRejected();
  });
  const reached = () => (server.target ? callsOf(server.target) : undefined);
  const views = createViews(subscriptions, reached, () => rejected.list);
  const calls = () => {
    const found = reached();
    if (!found) throw new Error('Start Tabularium first.');
    return found;
  };
  const parts = { server, page, rejected, log };
  for (const [name, run] of Object.entries({ ...serverCommands(parts), ...dataCommands(calls) }))
    subscriptions.push(vscode.commands.registerCommand(`tabularium.${name}`, run));
  addTasks(subscriptions, server);
  addAgents(subscriptions, server, { main: pathOf('server', 'dist', 'main.js').fsPath, version: version(extension) });
  subscriptions.push(log, followState(server, rejected, { ...views, bar, page, log }), {
    dispose: () => server.stop(),
  });
  startByItself(subscriptions, server);
}

/** Follows the server that is reached, and shows its state. */
function followState(
  server: WindowServer,
  rejected: RejectedRequests,
  shown: {
    readonly refresh: () => void;
    readonly bar: (rejected: number) => void;
    readonly page: PageTab;
    readonly log: vscode.LogOutputChannel;
  },
): vscode.Disposable {
  let following = new AbortController();
  const listening = server.onChanged(() => {
    following.abort();
    following = new AbortController();
    const { state, target } = server;
    void vscode.commands.executeCommand('setContext', 'tabularium.state', state);
    void vscode.commands.executeCommand('setContext', 'tabularium.isReached', target !== undefined);
    rejected.begin();
    shown.refresh();
    shown.page.follow();
    if (!target) return;
    if (state === 'running' && isOn('startAzuriteBlobsAndQueues')) void startBlobsAndQueues(shown.log);
    const { signal } = following;
    const streams = [
      (calls: ServerCalls) => rejected.follow(calls),
      async (calls: ServerCalls) => {
        for await (const line of await calls.live()) if ('change' in line || 'event' in line) shown.refresh();
      },
    ];
    void followServer(callsOf(target, signal), streams, signal).then(() => signal.aborted || server.lose());
  });
  return vscode.Disposable.from(listening, { dispose: () => following.abort() });
}

/** Starts the server when the folder opens, or before a debug session, if the user wants that and trusts the folder. */
function startByItself(subscriptions: vscode.Disposable[], server: WindowServer): void {
  const isWanted = (when: string) =>
    vscode.workspace.isTrusted && vscode.workspace.getConfiguration('tabularium').get('autoStart') === when;
  const startIfWanted = () => {
    if (isWanted('onOpen')) void server.start(true);
  };
  subscriptions.push(
    vscode.debug.registerDebugConfigurationProvider('*', {
      async resolveDebugConfiguration(_folder, configuration) {
        if (isWanted('onDebug')) await server.start(true);
        return configuration;
      },
    }),
    // After a reload, the server that was attached to may be that of the window before it, at its end.
    server.onLost(startIfWanted),
    vscode.workspace.onDidGrantWorkspaceTrust(startIfWanted),
    // The settings of a folder come after the trust in it.
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('tabularium.autoStart')) startIfWanted();
    }),
  );
  startIfWanted();
}

/** Returns the settings that somebody has set: for the others, the server has its own defaults. */
function settingsOf({ packageJSON }: vscode.Extension<unknown>): ReadonlyMap<string, unknown> {
  const { properties } = packageJSON.contributes.configuration as { readonly properties: object };
  const found = vscode.workspace.getConfiguration();
  return new Map(
    Object.keys(properties).flatMap((key) => {
      const { globalValue, workspaceValue, workspaceFolderValue } = found.inspect(key) ?? {};
      const isSet = [globalValue, workspaceValue, workspaceFolderValue].some((value) => value !== undefined);
      return isSet ? [[key.replace('tabularium.', ''), found.get(key)] as const] : [];
    }),
  );
}

function isOn(name: string): boolean {
  return vscode.workspace.getConfiguration('tabularium').get(name) === true;
}

function version({ packageJSON }: vscode.Extension<unknown>): string {
  return String(packageJSON.version);
}

function rejectedLine(entry: LogEntry): string {
  const { StatusCode, StatusText, Method, Why } = entry;
  return `${StatusCode} ${StatusText} ${Method} ${addressOf(entry)}${Why === undefined ? '' : `: ${Why}`}`;
}
