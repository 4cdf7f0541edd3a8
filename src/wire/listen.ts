import type { AddressInfo } from 'node:net';
import type { DialectName } from '../protocol/access/accounts.js';
import { type AppOptions, createApp } from './create-app.js';

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

/** Listens on a port. Errors: a system error if the port is in use. */
export async function listen(options: AppOptions, { host, port }: ListenPlace): Promise<Listener> {
  const { app, stop } = createApp(options);
  await app.listen({ host, port });
  const { port: taken } = app.server.address() as AddressInfo;
  const named = host.includes(':') ? `[${host}]` : host;
  return { speaks: options.service.dialect.name, url: `${options.tls ? 'https' : 'http'}://${named}:${taken}`, stop };
}
