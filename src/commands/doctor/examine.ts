import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { type Endpoint, rootOf } from '../../client/connection-strings.js';
import { urlFlag, urlVariable } from '../../client/server-url.js';
import type { Config, DatabaseConfig } from '../../settings/config.js';
import { examineFolder } from '../../store/level/check/check-folder.js';
import { dataFolder } from '../../store/level/open-folder.js';
import { StoreError } from '../../store/store-error.js';
import { certificateFiles, renewal } from '../../tls/own-certificate.js';
import { CertificateError, readCertificate } from '../../tls/read-certificate.js';
import { listenedAddresses } from '../../wire/listened-addresses.js';
import { explainForbiddenPort } from '../describe-failure.js';
import type { CommandConfig } from '../options/server-options.js';
import { type Answerer, askHealth } from '../verbs/ask-health.js';

/**
 * Runs the startup checks for these settings, and identifies the program on the port. Changes nothing. `now` is in milliseconds since 1970.
 */
export async function examine(config: CommandConfig, now: number): Promise<readonly Finding[]> {
  const places = await examinePlaces(config);
  const isRunning = places.some((place) => place.isRunning);
  const data = config.database ? await examineDatabase(config.database) : [await examineData(config, isRunning)];
  return [...places, ...data, ...(config.tls ? [await examineCertificate(config.tls, now)] : [])];
}

/** Formats a finding for people. */
export function findingLines({ about, result, remedy }: Finding): readonly string[] {
  if (remedy === undefined) return [`ok       ${about}: ${result}`];
  return [`problem  ${about}: ${result}`, `         ${remedy}`];
}

/** Examines the named server, or else the ports in the settings. */
async function examinePlaces(config: CommandConfig): Promise<readonly Finding[]> {
  const { server, cosmos } = config;
  if (server) return [await examineServer(server)];
  const port = await examinePort(config);
  return cosmos ? [port, await examinePort({ ...config, port: cosmos.port }, '--cosmosPort')] : [port];
}

/**
 * Checks that the data folder is writable, not in use, and readable by this version. `isRunning` is whether a Tabularium is running,
 * which may hold it.
 */
export async function examineData(
  { inMemory, location }: Pick<Config, 'inMemory' | 'location'>,
  isRunning = false,
): Promise<Finding> {
  const about = 'data';
  if (inMemory) return { about, result: 'in memory; it is lost when the server ends' };
  const folder = resolve(location, dataFolder);
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    await access(existing, constants.W_OK | constants.X_OK);
  } catch (error) {
    const remedy = `Let this user write to ${existing}, or choose another --location.`;
    return { about, result: `${folder} cannot be written: ${messageOf(error)}`, remedy };
  }
  if (existing !== folder) return { about, result: `${folder} will be created at the first start` };
  try {
    const warning = await examineFolder(folder);
    return { about, result: `${folder} can be opened${warning ? `. ${warning.message}` : ''}` };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return error.code === 'in-use' && isRunning
      ? { about, result: `${folder} is in use by another process, and a Tabularium is running` }
      : { about, result: error.fault, remedy: error.remedy };
  }
}

/** Checks that this version can reach and use the database, and reports the durability of acknowledged writes. */
export async function examineDatabase(database: DatabaseConfig): Promise<readonly Finding[]> {
  const about = 'database';
  const { examineDatabase: examine } = await import('../../store/postgres/schema/examine-database.js');
  try {
    const { found, replication, faults } = await examine(database);
    return [
      { about, result: found },
      { about, result: replication },
      ...faults.map(({ fault, remedy }) => ({ about, result: fault, remedy })),
    ];
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return [{ about, result: error.fault, remedy: error.remedy }];
  }
}

/** Checks that a certificate is usable and, if it is PEM, has not expired. A start renews the server's own. */
export async function examineCertificate(tls: NonNullable<Config['tls']>, now: number): Promise<Finding> {
  const about = 'certificate';
  const isOwn = tls.kind === 'self-signed';
  if (isOwn && tls.folder === undefined) return { about, result: 'a new one is made for each run' };
  const own = isOwn ? certificateFiles(tls.folder ?? '') : undefined;
  if (own && !(existsSync(own.cert) && existsSync(own.key))) {
    return { about, result: `${own.cert} will be created at the first start` };
  }
  const renew = isOwn ? renewal(tls.folder ?? '') : 'Get a new certificate, or use --https to make one.';
  try {
    const { cert } = await readCertificate(isOwn ? { kind: 'pem', ...certificateFiles(tls.folder ?? '') } : tls);
    const end = cert === undefined ? undefined : new X509Certificate(cert).validTo;
    if (end !== undefined && Date.parse(end) <= now) return { about, result: `it expired on ${end}`, remedy: renew };
    return { about, result: `it can be served${end === undefined ? '' : `, until ${end}`}` };
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    return { about, result: error.fault, remedy: isOwn ? renew : error.remedy };
  }
}

/** The result of one check. */
interface Finding {
  /** The subject of the check. */
  readonly about: string;
  readonly result: string;
  /** The fix for the problem; absent if there is none. */
  readonly remedy?: string;
  /** Whether a Tabularium is running, which may hold its port and its data. */
  readonly isRunning?: true;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Checks that a port is free at each address of the host, or held by a Tabularium that is ready. Otherwise names the program that uses
 * it. `flag` is the option for the port.
 */
export async function examinePort(
  { host, port, tls }: Pick<CommandConfig, 'host' | 'port' | 'tls'>,
  flag = '--tablePort',
): Promise<Finding> {
  const about = `port ${host}:${port}`;
  if (port === 0) return { about, result: 'any free port' };
  const [first, second] = listenedAddresses(host);
  const rejection = await tryPort(first, port);
  const scheme = tls ? 'https' : 'http';
  if (rejection) return { about, ...(await describeRejection(rejection, { host, port, scheme }, flag)) };
  const other = second === undefined ? undefined : await tryPort(second, port);
  if (other?.code !== 'EADDRINUSE' || second === undefined) return { about, result: 'free' };
  return { about: `port [${second}]:${port}`, ...(await describeUser({ host: second, port, scheme }, flag)) };
}

/** Checks that the named server is a Tabularium and ready. */
async function examineServer(place: Endpoint): Promise<Finding> {
  const about = `server ${rootOf(place)}`;
  const answerer = await askHealth(place);
  if (answerer.kind === 'tabularium') return { about, ...describeTabularium(answerer) };
  return answerer.kind === 'none'
    ? { about, result: `no answer (${answerer.message})`, remedy: `Start it, or correct ${urlFlag} or ${urlVariable}.` }
    : { about, result: nameOf(answerer), remedy: `Correct ${urlFlag} or ${urlVariable}.` };
}

async function describeRejection(
  rejection: NodeJS.ErrnoException,
  place: Endpoint,
  flag: string,
): Promise<Omit<Finding, 'about'>> {
  switch (rejection.code) {
    case 'EADDRINUSE':
      return describeUser(place, flag);
    case 'EACCES':
      return { result: 'this user may not use it', remedy: explainForbiddenPort(flag) };
    case 'EADDRNOTAVAIL':
      return {
        result: 'this machine does not have the address',
        remedy: 'Choose another --tableHost: 127.0.0.1 for this machine only, 0.0.0.0 for all addresses.',
      };
    default:
      return { result: messageOf(rejection), remedy: 'Choose another --tableHost.' };
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

/** Identifies the program on a port by its answer to a health request. */
async function describeUser(place: Endpoint, flag: string): Promise<Omit<Finding, 'about'>> {
  const answerer = await askHealth(place);
  if (answerer.kind === 'tabularium') {
    const { result, ...more } = describeTabularium(answerer);
    return { result: `in use by ${result}`, ...more };
  }
  const remedy = `Stop it or choose another ${flag}.`;
  return answerer.kind === 'none'
    ? { result: `in use by a program that does not answer HTTP (${answerer.message})`, remedy }
    : { result: `in use by ${nameOf(answerer)}`, remedy };
}

function describeTabularium({
  scheme,
  ready,
  status,
}: Extract<Answerer, { kind: 'tabularium' }>): Omit<Finding, 'about'> {
  const result = `Tabularium, whose status is ${status} (${scheme})`;
  return { result, isRunning: true, ...(!ready && { remedy: 'Its log says why it is not ready.' }) };
}

function nameOf({ server }: Extract<Answerer, { kind: 'other' }>): string {
  return `${/azurite/i.test(server) ? 'Azurite' : 'another server'} (Server: ${server})`;
}
