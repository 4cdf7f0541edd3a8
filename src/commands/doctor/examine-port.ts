import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Endpoint, rootOf } from '../../client/connection-strings.js';
import { urlFlag, urlVariable } from '../../client/server-url.js';
import { listenedAddresses } from '../../wire/listened-addresses.js';
import { explainForbiddenPort } from '../describe-failure.js';
import type { CommandConfig } from '../options/server-options.js';
import { type Answerer, askHealth } from '../verbs/ask-health.js';

/** The result of one check. */
export interface Finding {
  /** The subject of the check. */
  readonly about: string;
  readonly found: string;
  /** What to do about the problem; absent if there is none. */
  readonly remedy?: string;
  /** Whether a running Tabularium was found. It may hold its port and its data. */
  readonly isRunning?: true;
}

/** Returns the message of an error, without its stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Checks that a port is free at each address of the host, or held by a Tabularium that is ready. Otherwise names the program that
 * uses it. `flag` is the option that chooses the port.
 */
export async function examinePort(
  { host, port, tls }: Pick<CommandConfig, 'host' | 'port' | 'tls'>,
  flag = '--tablePort',
): Promise<Finding> {
  const about = `port ${host}:${port}`;
  if (port === 0) return { about, found: 'any free port' };
  const [first, second] = listenedAddresses(host);
  const refusal = await tryPort(first, port);
  const scheme = tls ? 'https' : 'http';
  if (refusal) return { about, ...(await describeRefusal(refusal, { host, port, scheme }, flag)) };
  const other = second === undefined ? undefined : await tryPort(second, port);
  if (other?.code !== 'EADDRINUSE' || second === undefined) return { about, found: 'free' };
  return { about: `port [${second}]:${port}`, ...(await describeUser({ host: second, port, scheme }, flag)) };
}

/** Checks that a Tabularium answers at the place that the user named, and is ready. */
export async function examineServer(place: Endpoint): Promise<Finding> {
  const about = `server ${rootOf(place)}`;
  const answerer = await askHealth(place);
  if (answerer.kind === 'tabularium') return { about, ...describeTabularium(answerer) };
  return answerer.kind === 'none'
    ? { about, found: `no answer (${answerer.message})`, remedy: `Start it, or correct ${urlFlag} or ${urlVariable}.` }
    : { about, found: nameOf(answerer), remedy: `Correct ${urlFlag} or ${urlVariable}.` };
}

async function describeRefusal(
  refusal: NodeJS.ErrnoException,
  place: Endpoint,
  flag: string,
): Promise<Omit<Finding, 'about'>> {
  switch (refusal.code) {
    case 'EADDRINUSE':
      return describeUser(place, flag);
    case 'EACCES':
      return { found: 'this user may not use it', remedy: explainForbiddenPort(flag) };
    case 'EADDRNOTAVAIL':
      return {
        found: 'this machine does not have the address',
        remedy: 'Choose another --tableHost: 127.0.0.1 for this machine only, 0.0.0.0 for all addresses.',
      };
    default:
      return { found: messageOf(refusal), remedy: 'Choose another --tableHost.' };
  }
}

async function tryPort(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer();
  try {
    await once(server.listen({ host, port }), 'listening');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    server.close();
  }
}

/** Describes the program that uses the port, by its answer to a health request. */
async function describeUser(place: Endpoint, flag: string): Promise<Omit<Finding, 'about'>> {
  const answerer = await askHealth(place);
  if (answerer.kind === 'tabularium') {
    const { found, ...more } = describeTabularium(answerer);
    return { found: `in use by ${found}`, ...more };
  }
  const remedy = `Stop it or choose another ${flag}.`;
  return answerer.kind === 'none'
    ? { found: `in use by a program that does not answer HTTP (${answerer.message})`, remedy }
    : { found: `in use by ${nameOf(answerer)}`, remedy };
}

function describeTabularium({
  scheme,
  ready,
  status,
}: Extract<Answerer, { kind: 'tabularium' }>): Omit<Finding, 'about'> {
  const found = `Tabularium, whose status is ${status} (${scheme})`;
  return { found, isRunning: true, ...(!ready && { remedy: 'Its log says why it is not ready.' }) };
}

function nameOf({ server }: Extract<Answerer, { kind: 'other' }>): string {
  return `${/azurite/i.test(server) ? 'Azurite' : 'another server'} (Server: ${server})`;
}
