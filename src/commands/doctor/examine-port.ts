import { once } from 'node:events';
import { createServer } from 'node:net';
import { askHealth } from '../ask-health.js';
import type { CommandConfig } from '../server-options.js';
import { type Finding, messageOf } from './finding.js';

/** Whether the port is free; if not, who answers there. */
export async function examinePort({ host, port, tls }: CommandConfig): Promise<Finding> {
  const about = `port ${host}:${port}`;
  if (port === 0) return { about, says: 'any free one will do' };
  const refusal = await tryPort(host, port);
  if (refusal === undefined) return { about, says: 'free' };
  switch (refusal.code) {
    case 'EADDRINUSE':
      return { about, ...(await tenant({ host, port, scheme: tls ? 'https' : 'http' })) };
    case 'EACCES':
      return { about, says: 'not allowed for this user', remedy: 'Choose a --tablePort above 1023.' };
    case 'EADDRNOTAVAIL':
      return {
        about,
        says: 'no address of this machine',
        remedy: 'Choose another --tableHost: 127.0.0.1 for this machine alone, 0.0.0.0 for all its addresses.',
      };
    default:
      return { about, says: messageOf(refusal), remedy: 'Choose another --tableHost.' };
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

async function tenant(place: {
  host: string;
  port: number;
  scheme: 'http' | 'https';
}): Promise<Omit<Finding, 'about'>> {
  const who = await askHealth(place);
  const remedy = 'Stop it, or choose another --tablePort.';
  if (who.kind === 'tabularium') {
    return {
      says: `taken by Tabularium, which says it is ${who.says} (${who.scheme})`,
      remedy: 'Use it, stop it, or choose another --tablePort.',
    };
  }
  if (who.kind === 'none') return { says: `taken by a program that does not answer HTTP (${who.says})`, remedy };
  const name = /azurite/i.test(who.server) ? 'Azurite' : 'another server';
  return { says: `taken by ${name} (Server: ${who.server})`, remedy };
}
