import * as vscode from 'vscode';
import type { PageTab } from '../page/open-page.js';
import type { RejectedRequests } from '../server/rejected-requests.js';
import type { WindowServer } from '../server/window-server.js';

/** Commands by their names without `tabularium.`. */
export type Commands = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;

/** The parts of the extension that commands use. */
export interface CommandParts {
  readonly server: WindowServer;
  readonly page: PageTab;
  readonly rejected: RejectedRequests;
  readonly log: vscode.LogOutputChannel;
}

/** Returns the commands for the server and its page. */
export function serverCommands({ server, page, rejected, log }: CommandParts): Commands {
  return {
    start: () => server.start(),
    stop: () => server.stop(),
    restart: async () => {
      await server.stop();
      return server.start();
    },
    openPage: async (hash) => {
      await server.start();
      page.show(typeof hash === 'string' ? hash : undefined);
    },
    openInBrowser: async () => {
      const url = await vscode.env.asExternalUri(vscode.Uri.parse(`${server.url}/_tabularium/`));
      await vscode.env.openExternal(url);
    },
    clearRejected: () => rejected.clear(),
    showLog: () => log.show(),
  };
}
