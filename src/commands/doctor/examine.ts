import type { CommandConfig } from '../options/server-options.js';
import { examineAccounts, examineCosmosAccounts } from './examine-accounts.js';
import { examineCertificate } from './examine-certificate.js';
import { examineClock } from './examine-clock.js';
import { examineData } from './examine-data.js';
import { examineDatabase } from './examine-database.js';
import { examineNode } from './examine-node.js';
import { examinePort, examineServer } from './examine-port.js';
import type { Finding } from './finding.js';

/**
 * Checks everything that could keep a server with these settings from starting or from serving its clients. `now` is in
 * milliseconds since 1970.
 */
export async function examine(config: CommandConfig, now: number): Promise<readonly Finding[]> {
  const places = await examinePlaces(config);
  const data = config.database
    ? { findings: await examineDatabase(config.database, now), lastWrite: undefined }
    : await examineFolder(
        config,
        places.some(({ isRunning }) => isRunning),
      );
  return [
    examineNode(process.versions.node),
    examineAccounts(config),
    ...examineCosmosAccounts(config),
    ...places,
    ...data.findings,
    examineClock(now, data.lastWrite),
    await examineCertificate(config.tls, now),
  ];
}

/** Examines the server that the user names, or else the ports of one with these settings. */
async function examinePlaces(config: CommandConfig): Promise<readonly Finding[]> {
  const { server, cosmos } = config;
  if (server) return [await examineServer(server)];
  const port = await examinePort(config);
  return cosmos ? [port, await examinePort({ ...config, port: cosmos.port }, '--cosmosPort')] : [port];
}

async function examineFolder(
  config: CommandConfig,
  isRunning: boolean,
): Promise<{ readonly findings: readonly Finding[]; readonly lastWrite: string | undefined }> {
  const { finding, lastWrite } = await examineData(config, isRunning);
  return { findings: [finding], lastWrite };
}
