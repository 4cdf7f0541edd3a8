import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import { type Config, defaultConfig } from '../../../src/settings/config.js';
import { ServiceClient } from '../clients/service-client.js';
import { dropSchema } from '../postgres/drop-schema.js';
import { clusterDatabase } from '../postgres/open-cluster.js';

/** Servers that share one database, in a schema of their own. */
export interface SharedServers {
  readonly schema: string;
  /** Starts one more server. */
  start(settings?: Partial<Config>, url?: string): Promise<RunningServer>;
  /** What the servers have logged as errors. */
  readonly errors: readonly string[];
  /** Stops all servers and drops the schema. */
  dispose(): Promise<void>;
}

/** Makes a schema for servers. */
export function shareDatabase(): SharedServers {
  const direct = clusterDatabase ?? '';
  const schema = `shared_${randomUUID().replaceAll('-', '')}`;
  const servers: RunningServer[] = [];
  const errors: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => errors.push(line) });
  return {
    schema,
    errors,
    async start(settings = {}, url = direct) {
      const database = { url, schema, connections: 10 };
      const accounts = [developmentAccount];
      const server = await startServer(
        { ...defaultConfig, port: 0, silent: true, accounts, database, ...settings },
        logger,
      );
      servers.push(server);
      return server;
    },
    async dispose() {
      await Promise.all(servers.map((server) => server.close()));
      await dropSchema({ url: direct, schema });
    },
  };
}

/** Returns a client of one of the servers. */
export function clientOf({ url }: RunningServer, account = developmentAccount): ServiceClient {
  return new ServiceClient(() => ({
    url,
    base: `${url}/${account.name}`,
    account,
    takeLoggedErrors: () => [],
    close: async () => {},
  }));
}
