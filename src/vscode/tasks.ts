import * as vscode from 'vscode';
import type { WindowServer } from './server/window-server.js';

/** Adds the task `start`, which ends when the server listens: a `preLaunchTask` for programs that need it. */
export function addTasks(subscriptions: vscode.Disposable[], server: WindowServer): void {
  const taskOf = (definition: vscode.TaskDefinition, scope: vscode.WorkspaceFolder | vscode.TaskScope) => {
    const task = new vscode.Task(definition, scope, 'start', 'tabularium', executionOf(server), []);
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Silent };
    return task;
  };
  const provider = vscode.tasks.registerTaskProvider('tabularium', {
    provideTasks: () => [taskOf({ type: 'tabularium', task: 'start' }, vscode.TaskScope.Workspace)],
    resolveTask: ({ definition, scope }) => taskOf(definition, scope ?? vscode.TaskScope.Workspace),
  });
  subscriptions.push(provider);
}

function executionOf(server: WindowServer): vscode.CustomExecution {
  return new vscode.CustomExecution(async () => {
    const [written, closed] = [new vscode.EventEmitter<string>(), new vscode.EventEmitter<number>()];
    const open = async () => {
      const url = await server.start();
      written.fire(
        url === undefined ? `Tabularium did not start. ${server.fault}\r\n` : `Tabularium listens at ${url}\r\n`,
      );
      closed.fire(url === undefined ? 1 : 0);
    };
    return { onDidWrite: written.event, onDidClose: closed.event, open, close: () => {} };
  });
}
