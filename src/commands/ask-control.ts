import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { reachedHost, rootOf } from '../client/connection-strings.js';
import { askedEndpoint, urlFlag, urlVariable } from '../client/server-url.js';
import { ConfigError } from '../config.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import type { CommandConfig } from './server-options.js';

/** No server answers. */
export class NoServer extends ConfigError {}

/** A request to the control endpoints of a server. */
export interface ControlQuestion {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below `controlRoot`, with its query. */
  readonly path: string;
  /** Is sent as JSON. */
  readonly body?: object;
  /** Is sent as it comes. Excludes `body`. */
  readonly upload?: { readonly stream: Readable; readonly contentType: string };
}

/**
 * Asks the server that a command names, or that its settings describe. The token of the settings is sent along if there is one.
 *
 * Errors: NoServer if no server is there; ConfigError if it refuses, with what it says.
 */
export async function askControl(config: CommandConfig, question: ControlQuestion): Promise<IncomingMessage> {
  const { scheme, host, port } = askedEndpoint(config);
  const root = rootOf({ scheme, host, port });
  const token = config.adminToken ?? config.adminReadToken;
  const request = scheme === 'http' ? httpRequest : (await import('node:https')).request;
  const text = question.body && JSON.stringify(question.body);
  const outgoing = request({
    ...{ host: reachedHost(host), port, path: `${controlRoot}${question.path}`, method: question.method ?? 'GET' },
    agent: false,
    // The certificate of a server on this machine may be one that it made itself. A token goes to no other machine unchecked.
    rejectUnauthorized: !/^(?:127\.|::1$|localhost$)/.test(reachedHost(host)),
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
      ...(question.upload && { 'Content-Type': question.upload.contentType }),
    },
  });
  // Node 24 reports a reset in the middle of an answer here and on the answer, whose reader gets it.
  outgoing.once('response', () => outgoing.on('error', () => {}));
  if (question.upload) sendStream(question.upload.stream, outgoing);
  else outgoing.end(text);
  const [answer] = (await once(outgoing, 'response').catch((error: Error) => {
    throw new NoServer(
      `No server answers at ${root}: ${error.message}. Start one, or name another one with ${urlFlag} or ${urlVariable}.`,
    );
  })) as [IncomingMessage];
  if (answer.statusCode === 200) return answer;
  throw new ConfigError(`${root} refused: ${await refusalIn(answer)}`);
}

/** Sends a stream. The server may answer, and even end, before it has read all of it. */
function sendStream(stream: Readable, outgoing: ClientRequest): void {
  stream.once('error', (error) => outgoing.destroy(error));
  outgoing.once('response', () => outgoing.on('error', () => stream.destroy()));
  stream.pipe(outgoing);
}

/** Returns the text of an answer. */
export async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of answer.setEncoding('utf8')) text += part;
  return text;
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

async function refusalIn(answer: IncomingMessage): Promise<string> {
  const text = await textOf(answer);
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // Another server than Tabularium answers in its own way.
  }
  return `status ${answer.statusCode}. Is it a Tabularium server of this version?`;
}
