import { expect, it, vi } from 'vitest';
import * as vscode from 'vscode';
import { readServerUrl } from '../../src/client/server-url.js';
import { startTabularium } from '../../src/index.js';
import { dataCommands } from '../../src/vscode/commands/data-commands.js';
import { callsOf } from '../../src/vscode/server/server-calls.js';

vi.mock('vscode', async () => (await import('../support/editor/vscode-double.js')).vscodeDouble());

/** The form that editors make a link of in a notice, which may run a command. */
const link = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)/;

it('A rejected request, which any page of a browser may send, puts no link to a command into a notice', async () => {
  const server = await startTabularium();
  const calls = callsOf({ endpoint: readServerUrl(server.url, 'url'), token: undefined });
  const { why, explainFilter } = dataCommands(() => calls);
  await fetch(
    `${server.url}/devstoreaccount1/T?sig=a&sv=${encodeURIComponent('[Fix it](command:workbench.action.quit)')}`,
  );
  void why?.();
  const shown = vi.mocked(vscode.window.showInformationMessage);
  await expect.poll(() => shown.mock.calls.length).toBe(1);
  const text = "startswith(RowKey, '[Fix it](command:workbench.action.quit)')";
  Object.assign(vscode.window, { activeTextEditor: { document: { getText: () => text }, selection: {} } });
  void explainFilter?.();
  await expect.poll(() => shown.mock.calls.length).toBe(2);
  for (const [notice] of shown.mock.calls) {
    expect(notice).toContain('command:workbench.action.quit');
    expect(notice).not.toMatch(link);
  }
  await server.close();
});
