import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { DialectName } from '../protocol/access/accounts.js';
import { type AppOptions, createApp } from './create-app.js';
import { listenedAddresses } from './listened-addresses.js';

/** A port on which a service answers. */
export interface Listener {
  /** The service that answers. */
  readonly speaks: DialectName;
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  /** Stops as `App` does. */
  stop(): Promise<void>;
}

/** Where a service listens. */
export interface ListenPlace {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
}

/** The parts and the settings of a listener. */
export interface ListenOptions extends AppOptions {
  readonly logger: AppOptions['logger'] & { warn(message: string): void };
}

/** How many ports are tried for one that is free at both addresses of this machine. (Our choice.) */
const triesMax = 5;

/** Whether an error means that this machine does not have an address. */
function isMissingAddress(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:EADDRNOTAVAIL|EAFNOSUPPORT)$/.test(String(error.code));
}

/**
 * Listens on a port. If another program has the port at the second address, a given port is served at the first one alone, with a
 * warning in the log; for port 0 another one is tried. Errors: a system error if the port is in use.
 */
export async function listen(options: ListenOptions, place: ListenPlace, tries = triesMax): Promise<Listener> {
  const { app, stop } = createApp(options);
  const [host, second] = listenedAddresses(place.host);
  await app.listen({ host, port: place.port });
  const { port } = app.server.address() as AddressInfo;
  let other: Server | undefined;
  try {
    other = second === undefined ? undefined : await listenAlso(app.server, { host: second, port }, options.tls);
  } catch (error) {
    if (place.port === 0 && tries > 1 && !isMissingAddress(error)) {
      await stop();
      return listen(options, place, tries - 1);
    }
    if (!isMissingAddress(error)) options.logger.warn(explainMissing(error, port));
  }
  const named = place.host.includes(':') ? `[${place.host}]` : place.host;
  return {
    speaks: options.service.dialect.name,
    url: `${options.tls ? 'https' : 'http'}://${named}:${port}`,
    async stop() {
      const closed = other && once(other.close(), 'close');
      await stop();
      await closed;
    },
  };
}

/** Lets a server answer at another address, too: the connections that arrive there are its own. */
async function listenAlso(server: Server, place: ListenPlace, tls: AppOptions['tls']): Promise<Server> {
  // As Node.js creates its servers for HTTP and HTTPS.
  const other = createServer({ allowHalfOpen: tls === undefined, noDelay: true });
  other.on('connection', (socket) => server.emit('connection', socket));
  await once(other.listen(place), 'listening');
  return other;
}

function explainMissing(error: unknown, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : error;
  return `[::1]:${port} is not served (${code}). Clients that take ::1 for localhost do not reach this server. Use 127.0.0.1.`;
}
