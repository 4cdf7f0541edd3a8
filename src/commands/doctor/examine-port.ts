import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Endpoint } from '../../client/connection-strings.js';
import { explainForbiddenPort } from '../forbidden-port.js';
import type { CommandConfig } from '../options/server-options.js';
import { askHealth } from '../verbs/ask-health.js';
import { type Finding, messageOf } from './finding.js';

/** Checks that a port is free. Otherwise names the program that uses it. `flag` is the option that chooses the port. */
export async function examinePort(
  { host, port, tls }: Pick<CommandConfig, 'host' | 'port' | 'tls'>,
  flag = '--tablePort',
): Promise<Finding> {
  const about = `port ${host}:${port}`;
  if (port === 0) return { about, found: 'any free port' };
  const refusal = await tryPort(host, port);
  if (refusal === undefined) return { about, found: 'free' };
  switch (refusal.code) {
    case 'EADDRINUSE':
      return { about, ...(await describeUser({ host, port, scheme: tls ? 'https' : 'http' }, flag)) };
    case 'EACCES':
      return { about, found: 'this user may not use it', remedy: explainForbiddenPort(flag) };
    case 'EADDRNOTAVAIL':
      return {
        about,
        found: 'this machine does not have the address',
        remedy: 'Choose another --tableHost: 127.0.0.1 for this machine only, 0.0.0.0 for all addresses.',
      };
    default:
      return { about, found: messageOf(refusal), remedy: 'Choose another --tableHost.' };
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
  const remedy = `Stop it or choose another ${flag}.`;
  if (answerer.kind === 'tabularium') {
    return {
      found: `in use by Tabularium, whose status is ${answerer.status} (${answerer.scheme})`,
      remedy: `Use it, stop it or choose another ${flag}.`,
    };
  }
  if (answerer.kind === 'none') {
    return { found: `in use by a program that does not answer HTTP (${answerer.message})`, remedy };
  }
  const name = /azurite/i.test(answerer.server) ? 'Azurite' : 'another server';
  return { found: `in use by ${name} (Server: ${answerer.server})`, remedy };
}
