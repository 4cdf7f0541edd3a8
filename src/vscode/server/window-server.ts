import { realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import { type Endpoint, rootOf } from '../../client/connection-strings.js';
import type { TargetServer } from '../../client/http-transport.js';
import { readServerUrl } from '../../client/server-url.js';
import { noticeText } from '../notice-text.js';
import { callsOf } from './server-calls.js';
import { type ServerProcess, startProcess } from './server-process.js';
import { startOf, type WindowFolders, type WindowStart } from './setting-words.js';

/** What the server of a window does. `attached`: it belongs to another window of the same folder. */
export type ServerState = 'stopped' | 'starting' | 'running' | 'attached';

/** The parts of a window that its server needs. */
export interface ServerWindow {
  /** The path of `run-server.mjs`. */
  readonly program: string;
  readonly token: string;
  readonly log: vscode.LogOutputChannel;
  /** Returns the settings that somebody has set. */
  readonly values: () => ReadonlyMap<string, unknown>;
  readonly folders: () => WindowFolders;
}

/** Time limit for the server that uses the port to say which folder it has. Unit: milliseconds. */
const answerMs = 3000;

/** Why a server cannot keep data in a folder. */
const noAddon = 'On this system it cannot keep data in a folder. Set tabularium.inMemoryPersistence.';

/** The server of a window: one that it has started, or that of another window of the same folder. */
export class WindowServer {
  readonly #window: ServerWindow;
  readonly #changed = new vscode.EventEmitter<void>();
  /** Fires when the state has changed. */
  readonly onChanged = this.#changed.event;
  readonly #lost = new vscode.EventEmitter<void>();
  /** Fires when the server of another window has ended. */
  readonly onLost = this.#lost.event;
  state: ServerState = 'stopped';
  /** Why the last start failed; undefined if it did not. */
  fault: string | undefined;
  /** The server that is reached; undefined if none is. */
  target: TargetServer | undefined;
  #process: ServerProcess | undefined;
  #isStopping = false;
  #starting: Promise<string | undefined> | undefined;

  constructor(window: ServerWindow) {
    this.#window = window;
  }

  /** Scheme, host and port of the server, without a trailing slash; undefined if none is reached. */
  get url(): string | undefined {
    return this.target && rootOf(this.target.endpoint);
  }

  /**
   * Starts the server, or attaches to that of the same folder. Returns its URL; undefined if it did not start. Then it says so in a
   * notice, unless it is to be silent.
   */
  start(isSilent = false): Promise<string | undefined> {
    if (this.target) return Promise.resolve(this.url);
    this.#starting ??= this.#start(isSilent).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Stops the server, or leaves that of another window. */
  async stop(): Promise<void> {
    const process = this.#process;
    if (!process) return this.#become('stopped');
    this.#isStopping = true;
    await process.stop();
  }

  /** Notes that the server of another window has ended. */
  lose(): void {
    if (this.state !== 'attached') return;
    this.#become('stopped');
    this.#lost.fire();
  }

  async #start(isSilent: boolean, port?: number): Promise<string | undefined> {
    const { values, folders } = this.#window;
    const settings = new Map([...values(), ...(port === undefined ? [] : [['tablePort', port] as const])]);
    const start = startOf(settings, folders());
    this.#become('starting');
    try {
      await mkdir(start.location ?? start.folder, { recursive: true });
      await this.#run(start);
      return this.url;
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      const endpoint = endpointOf(settings);
      const location = await this.#locationAt(endpoint);
      if (location !== undefined && start.location !== undefined && isSame(location, start.location)) {
        this.#window.log.info(`attached to the server of this folder at ${rootOf(endpoint)}`);
        this.#become('attached', { endpoint, token: this.#window.token });
        return this.url;
      }
      const isBare = /No native build was found/.test(fault);
      this.#become('stopped', undefined, isBare ? noAddon : fault);
      if (isSilent) return undefined;
      return /EADDRINUSE/.test(fault) ? this.#offerFreePort(endpoint, location) : this.#showFault(this.fault ?? fault);
    }
  }

  async #run({ words, folder }: WindowStart): Promise<void> {
    const { program, token, log } = this.#window;
    const environment = { TABULARIUM_ADMIN_TOKEN: token };
    const process = await startProcess({ program, words, folder, environment, log: (line) => log.info(line) });
    this.#process = process;
    void process.ended.then(() => {
      this.#become('stopped', undefined, this.#isStopping ? undefined : 'The server ended by itself. See its log.');
      this.#process = undefined;
      this.#isStopping = false;
    });
    this.#become('running', { endpoint: readServerUrl(process.url, 'the server'), token });
  }

  /** Returns the location of the server at an endpoint; undefined if it is another program, or does not say. */
  async #locationAt(endpoint: Endpoint): Promise<string | undefined> {
    const calls = callsOf({ endpoint, token: this.#window.token }, AbortSignal.timeout(answerMs));
    // Any failure means that it is not the server of this folder.
    return calls.info().then(
      ({ location }) => location,
      () => undefined,
    );
  }

  async #offerFreePort({ port }: Endpoint, location: string | undefined): Promise<string | undefined> {
    const owner = location === undefined ? 'Another program' : `The Tabularium of ${location}`;
    const [free, settings] = ['Use a Free Port', 'Open Settings'];
    const picked = await vscode.window.showWarningMessage(noticeText(`${owner} uses port ${port}.`), free, settings);
    if (picked === free) return this.#start(false, 0);
    if (picked === settings)
      await vscode.commands.executeCommand('workbench.action.openSettings', 'tabularium.tablePort');
    return undefined;
  }

  async #showFault(fault: string): Promise<undefined> {
    const text = noticeText(`Tabularium did not start. ${fault}`);
    const picked = await vscode.window.showErrorMessage(text, 'Show Log');
    if (picked !== undefined) this.#window.log.show();
  }

  #become(state: ServerState, target?: TargetServer, fault?: string): void {
    Object.assign(this, { state, target, fault });
    this.#changed.fire();
  }
}

/** Returns the endpoint that a server with these settings has. */
function endpointOf(settings: ReadonlyMap<string, unknown>): Endpoint {
  const { tableHost = '127.0.0.1', tablePort = 10_002, https, cert } = Object.fromEntries(settings);
  return { scheme: https || cert ? 'https' : 'http', host: String(tableHost), port: Number(tablePort) };
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    // The folder of a server on another machine, behind a forwarded port.
    return false;
  }
}
