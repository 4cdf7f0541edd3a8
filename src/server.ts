import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import type { Config } from './config.js';
import { createClock } from './entity/clock.js';
import { createApp } from './http/create-app.js';
import { TableService } from './http/table-service.js';
import { readTls } from './http/tls.js';
import { openStore } from './store/open-store.js';

/** A server that listens. */
export interface RunningServer {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  /** Answers what is under way, writes what waits, lets the data go. */
  close(): Promise<void>;
}

/**
 * Puts the rooms together and listens.
 *
 * Errors: StoreError when the data cannot be opened; the system's when the port is taken.
 */
export async function startServer(config: Config, logger: Logger = createLogger(config)): Promise<RunningServer> {
  const clock = createClock();
  const store = await openStore({
    clock,
    fsync: config.durability === 'fsync',
    cacheBytes: config.cacheMb * 1024 * 1024,
    ...(config.inMemory ? {} : { location: config.location }),
    report: (error) => logger.error({ err: error }, 'work in the background failed'),
  });
  try {
    const service = new TableService({ accounts: config.accounts, store, now: clock.now, bearerTokens: config.oauth });
    const { app, stop } = createApp({
      service,
      logger,
      keepAliveMs: config.keepAliveMs,
      logRequests: !config.silent,
      tls: config.tls && (await readTls(config.tls)),
    });
    await app.listen({ host: config.host, port: config.port });
    const { port } = app.server.address() as AddressInfo;
    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    return {
      url: `${config.tls ? 'https' : 'http'}://${host}:${port}`,
      async close() {
        await stop();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Where the server says what it does: standard output, or the debug file. */
export function createLogger({ silent, debug }: Config): Logger {
  if (debug !== undefined) return pino({ level: 'debug' }, pino.destination({ dest: debug, mkdir: true, sync: false }));
  return pino({ level: silent ? 'silent' : 'info' });
}
