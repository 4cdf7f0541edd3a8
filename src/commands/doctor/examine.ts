import type { CommandConfig } from '../options/server-options.js';
import { examineAccounts, examineCosmosAccounts } from './examine-accounts.js';
import { examineCertificate } from './examine-certificate.js';
import { examineClock } from './examine-clock.js';
import { examineData } from './examine-data.js';
import { examineDatabase } from './examine-database.js';
import { examineNode } from './examine-node.js';
import { examinePort } from './examine-port.js';
import type { Finding } from './finding.js';

/**
 * Checks everything that could keep a server with these settings from starting or from serving its clients. `now` is in
 * milliseconds since 1970.
 */
export async function examine(config: CommandConfig, now: number): Promise<readonly Finding[]> {
  const data = config.database
    ? { findings: await examineDatabase(config.database, now), lastWrite: undefined }
    : await examineFolder(config);
  return [
    examineNode(process.versions.node),
    examineAccounts(config),
    ...examineCosmosAccounts(config),
    await examinePort(config),
    ...(config.cosmos ? [await examinePort({ ...config, port: config.cosmos.port }, '--cosmosPort')] : []),
    ...data.findings,
    examineClock(now, data.lastWrite),
    await examineCertificate(config.tls, now),
  ];
}

async function examineFolder(
  config: CommandConfig,
): Promise<{ readonly findings: readonly Finding[]; readonly lastWrite: string | undefined }> {
  const { finding, lastWrite } = await examineData(config);
  return { findings: [finding], lastWrite };
}
