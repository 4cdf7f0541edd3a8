import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { type Account, developmentAccount } from '../../../src/protocol/access/accounts.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import { defaultConfig } from '../../../src/settings/config.js';
import type { TlsConfig } from '../../../src/tls/own-certificate.js';
import { HttpsClient } from '../clients/https-client.js';
import { makeServicePlace } from '../store/test-engines.js';
import { whyOnlyOurs } from './external-service.js';
import type { RunningService } from './start-service.js';

/** A service over HTTPS, and the certificate that its clients must trust. */
export interface HttpsService extends RunningService {
  /** PEM. */
  readonly ca: string;
  /** File of the PEM. */
  readonly caFile: string;
  readonly identities: RunningServer['identities'];
  readonly callVerb: RunningServer['callVerb'];
}

/** Options of a service over HTTPS. */
export interface HttpsOptions {
  /** Accepts bearer tokens. */
  readonly oauth?: boolean;
  /** The file of identities, or its content. */
  readonly identity?: string | object;
}

/** Starts a service over HTTPS in this process, with its own certificate. */
export async function startHttpsService({ oauth = false, identity: source }: HttpsOptions = {}): Promise<HttpsService> {
  const account: Account = developmentAccount;
  const tls: TlsConfig = { kind: 'self-signed', folder: undefined, accounts: [account.name] };
  let errors: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => errors.push(line) });
  const place = await makeServicePlace();
  const identity =
    source === undefined ? undefined : { source, keyFile: undefined, keyFolder: undefined, secrets: undefined };
  const settings = { ...defaultConfig, port: 0, silent: true, oauth, identity, tls, ...place.settings };
  const server = await startServer(settings, logger);
  const { certificate } = server;
  if (!certificate) throw new Error('a service over HTTPS has a certificate');
  return {
    url: server.url,
    base: `${server.url}/${account.name}`,
    account,
    ca: certificate.cert,
    caFile: certificate.file,
    identities: server.identities,
    callVerb: server.callVerb,
    takeLoggedErrors() {
      const taken = errors;
      errors = [];
      return taken;
    },
    async close() {
      await server.close();
      await place.remove();
    },
  };
}

/** The tools for tests of a service over HTTPS. */
export interface HttpsTools {
  readonly client: HttpsClient;
  /** Returns the running service. Throws outside of tests. */
  readonly service: () => HttpsService;
}

/** Describes tests with a service over HTTPS that runs during them, and that must not log an error. */
export function describeHttpsService(
  name: string,
  tests: (tools: HttpsTools) => void,
  options: HttpsOptions = {},
): void {
  const why = whyOnlyOurs({ ownOnly: 'needs the certificate of our server' });
  describe.skipIf(why !== undefined)(`${name}${why ?? ''}`, () => {
    let running: HttpsService | undefined;
    const service = () => {
      if (!running) throw new Error('the service runs only while tests do');
      return running;
    };
    const client = new HttpsClient(service);
    beforeAll(async () => {
      running = await startHttpsService(options);
    });
    afterEach(() => {
      expect(service().takeLoggedErrors()).toEqual([]);
    });
    afterAll(async () => {
      client.close();
      await running?.close();
    });
    tests({ client, service });
  });
}
