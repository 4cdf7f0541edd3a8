import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { rootOf } from '../../client/connection-strings.js';
import type { TargetServer } from '../../client/http-transport.js';
import type { EditorMessage, PageMessage } from './messages.js';
import { Relay } from './relay.js';

/** The page of the server in a tab of the editor. There is one at most. */
export class PageTab {
  readonly #files: vscode.Uri;
  readonly #target: () => TargetServer | undefined;
  #panel: vscode.WebviewPanel | undefined;
  #root: string | undefined;

  /** `files` is the folder of the built page and of `page-host.js`. */
  constructor(files: vscode.Uri, target: () => TargetServer | undefined) {
    this.#files = files;
    this.#target = target;
  }

  /** Opens the tab, or shows it. `hash` is a place in the page, with `#`; undefined for where the user was. */
  show(hash = ''): void {
    const target = this.#target();
    if (!target) return;
    const panel = this.#panel ?? this.#open();
    const root = rootOf(target.endpoint);
    if (this.#root !== root) panel.webview.html = this.#html(panel.webview, root, hash);
    else if (hash !== '') void panel.webview.postMessage({ kind: 'show', hash } satisfies EditorMessage);
    this.#root = root;
    panel.reveal();
  }

  /** Shows the server that is reached now, if it is another one. */
  follow(): void {
    const target = this.#target();
    if (this.#panel && target && rootOf(target.endpoint) !== this.#root) this.show();
  }

  #open(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel('tabularium.page', 'Tabularium', vscode.ViewColumn.Active, {
      enableScripts: true,
      enableFindWidget: true,
      // Drafts and the place in a table stay while another tab is in front.
      retainContextWhenHidden: true,
      localResourceRoots: [this.#files],
    });
    const relay = new Relay(this.#target, (message) => panel.webview.postMessage(message));
    panel.webview.onDidReceiveMessage((message: PageMessage) => relay.receive(message));
    panel.onDidDispose(() => {
      relay.close();
      this.#panel = this.#root = undefined;
    });
    this.#panel = panel;
    return panel;
  }

  #html(webview: vscode.Webview, root: string, hash: string): string {
    const { cspSource } = webview;
    const files = `${webview.asWebviewUri(this.#files)}`;
    const policy = `default-src 'none'; script-src ${cspSource}; style-src ${cspSource}; img-src data:; connect-src 'none'`;
    const head =
      `<meta http-equiv="Content-Security-Policy" content="${policy}" />` +
      `<script src="${files}/page-host.js" data-root="${root}" data-hash="${quoted(hash)}"></script>`;
    return readFileSync(vscode.Uri.joinPath(this.#files, 'index.html').fsPath, 'utf8')
      .replaceAll('/_tabularium/explorer/', `${files}/`)
      .replace('<head>', `<head>${head}`);
  }
}

function quoted(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
