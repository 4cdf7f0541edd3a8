import * as vscode from 'vscode';
import type { WindowServer } from './server/window-server.js';

/** Gives the server that is reached to the coding agents of the editor, by the command `mcp`. `main` is the path of the program. */
export function addAgents(
  subscriptions: vscode.Disposable[],
  server: WindowServer,
  { main, version }: { readonly main: string; readonly version: string },
): void {
  // Editors that follow VS Code may not have it yet.
  if (typeof vscode.lm?.registerMcpServerDefinitionProvider !== 'function') return;
  const changed = new vscode.EventEmitter<void>();
  const provider = vscode.lm.registerMcpServerDefinitionProvider('tabularium.mcp', {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions() {
      const { url, target } = server;
      if (url === undefined) return [];
      const environment = { ELECTRON_RUN_AS_NODE: '1', TABULARIUM_ADMIN_TOKEN: target?.token ?? null };
      const words = [main, 'mcp', '--url', url];
      return [new vscode.McpStdioServerDefinition('Tabularium', process.execPath, words, environment, version)];
    },
  });
  subscriptions.push(
    provider,
    server.onChanged(() => changed.fire()),
  );
}
