import type { ServiceOptions } from './start-service.js';

/** A Table service that these tests did not start. */
export interface ExternalService {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  /** `url`, and the account if the service names it in the path. Without a final slash. */
  readonly base: string;
  readonly account: { readonly name: string; readonly keys: readonly [string] };
}

/** The service that `TABLE_SERVICE` names, a connection string with an account key. Absent: each test file starts ours. */
export const externalService: ExternalService | undefined = readExternalService(process.env['TABLE_SERVICE']);

/** Returns why a chapter needs a server of our own, to stand in its title. Undefined if it can run against any. */
export function whyOnlyOurs({ ownOnly, location, accounts, allowedHosts, cosmos }: OwnOnlyOptions): string | undefined {
  if (externalService === undefined) return undefined;
  if (ownOnly !== undefined) return ` (skipped: ${ownOnly})`;
  if (cosmos) return ' (skipped: the service has another dialect)';
  if (accounts) return ' (skipped: needs accounts of its own)';
  return location !== undefined || allowedHosts ? ' (skipped: needs a server with options of its own)' : undefined;
}

/** What a chapter needs of its server. */
export interface OwnOnlyOptions extends ServiceOptions {
  /** Why only a server that these tests started can hold the chapter. */
  readonly ownOnly?: string;
}

function readExternalService(connection: string | undefined): ExternalService | undefined {
  if (connection === undefined || connection === '') return undefined;
  const fields = new Map(
    connection
      .split(';')
      .filter((field) => field.includes('='))
      .map((field) => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)]),
  );
  const [name, key] = [fields.get('AccountName'), fields.get('AccountKey')];
  if (name === undefined || key === undefined) throw new Error('TABLE_SERVICE needs AccountName and AccountKey.');
  const scheme = fields.get('DefaultEndpointsProtocol') ?? 'https';
  const suffix = fields.get('EndpointSuffix') ?? 'core.windows.net';
  const base = (fields.get('TableEndpoint') ?? `${scheme}://${name}.table.${suffix}`).replace(/\/$/, '');
  return { url: new URL(base).origin, base, account: { name, keys: [key] } };
}
