import type { IncomingMessage } from 'node:http';
import { sendRequest, type Upload } from '../client/http-transport.js';
import { askedEndpoint } from '../client/server-url.js';
import type { CommandConfig } from './server-options.js';

/** A request to the control endpoints of a server. */
export interface ControlQuestion {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below `controlRoot`, with its query. */
  readonly path: string;
  /** Is sent as JSON. */
  readonly body?: object;
  /** Is sent as it comes. Excludes `body`. */
  readonly upload?: Upload;
}

/**
 * Asks the server that a command names, or that its settings describe. The token of the settings is sent along if there is one.
 *
 * Errors: NoServer if no server is there; ConfigError if it rejects the request, with what it says.
 */
export function askControl(
  config: CommandConfig,
  { method = 'GET', path, body, upload }: ControlQuestion,
): Promise<IncomingMessage> {
  const server = { endpoint: askedEndpoint(config), token: config.adminToken ?? config.adminReadToken };
  return sendRequest(server, { method, path, ...(body && { body }) }, upload);
}

/**
 * Yields the lines of an answer as they come, but no empty ones, which a silent stream sends. Only a line feed ends a line: for
 * `readline` the separators of Unicode do, too, which JSON has in texts.
 */
export async function* linesIn(answer: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  for await (const part of answer.setEncoding('utf8')) {
    const lines = `${rest}${part}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
  if (rest !== '') yield rest;
}
