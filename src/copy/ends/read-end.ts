import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { databaseUrls } from '../../database-url.js';
import { developmentAccount } from '../../protocol/access/accounts.js';
import { lowerAscii } from '../../protocol/names.js';
import { formatOfFile } from '../../transfer/files/import-files.js';
import { type Credential, keyCredential, signatureCredential, tokenCredential } from '../account/credential.js';
import { CopyFault } from './end.js';

/** The address of an account. */
export interface AccountEnd {
  readonly kind: 'account';
  readonly endpoint: string;
  readonly credential: Credential;
  readonly isCosmos: boolean;
  readonly table?: string | undefined;
}

/** Files as those of an export: one, or a folder of them. */
export interface FilesEnd {
  readonly kind: 'files';
  readonly path: string;
}

/** Data that no server uses: a folder, or the URL of a database. */
export interface PlaceEnd {
  readonly kind: 'place';
  readonly isDatabase: boolean;
  readonly location: string;
}

/** An end of a copy. */
export type End = AccountEnd | PlaceEnd | FilesEnd;

/** The name of the folder with the data of a server. */
export const dataFolder = 'tabularium-data';

/** The forms of an end, for messages. */
const forms = 'a connection string, a URL, a file that ends in .ndjson, .json or .csv, or a folder';

/** A connection string has one of these fields, or several of any name, so that a mistyped one is not a path. */
const connectionString =
  /(?:^|;)\s*(?:AccountName|AccountKey|AccountEndpoint|TableEndpoint|SharedAccessSignature|UseDevelopmentStorage)\s*=|^[^=;/\\]+=[^;]*;[^=;]+=/i;

/** Reads the text of an end. Errors: CopyFault, without secrets. */
export function readEnd(text: string, environment: NodeJS.ProcessEnv): End {
  if (text.trim() === '') throw new CopyFault(`An end of a copy is empty. Pass ${forms}.`);
  if (connectionString.test(text)) return readConnectionString(text);
  if (databaseUrls(text).length > 0) return { kind: 'place', isDatabase: true, location: text };
  if (/^https?:\/\//i.test(text)) return readAddress(text, environment);
  if (/^[a-z][\w+.-]*:\/\//i.test(text))
    throw new CopyFault('The URL has an unknown scheme: https, http and postgres are known.');
  if (/(?:^\??|&)sig=/i.test(text)) throw new CopyFault('A signature alone names no account. Pass a signed URL.');
  if (existsSync(join(text, dataFolder))) return { kind: 'place', isDatabase: false, location: text };
  if (basename(text) === dataFolder) return { kind: 'place', isDatabase: false, location: dirname(text) };
  if (formatOfFile(text) !== undefined || !existsSync(text) || statSync(text).isDirectory())
    return { kind: 'files', path: text };
  throw new CopyFault(`${text} is not an end of a copy. Pass ${forms}.`);
}

/** Returns the name of an end without secrets, by which two ends are compared. */
export function nameOfEnd(end: End): string {
  if (end.kind === 'files') return end.path;
  if (end.kind === 'account') {
    const { host, pathname } = new URL(end.endpoint);
    return host + pathname.replace(/\/$/, '') + (end.table === undefined ? '' : `/${end.table}`);
  }
  const [url] = end.isDatabase ? databaseUrls(end.location) : [];
  return url ? `postgres://${url.host}${url.pathname}` : end.location;
}

function readConnectionString(text: string): AccountEnd {
  const fields = new Map(
    text.split(';').map((field) => {
      const at = field.indexOf('=');
      return [lowerAscii(field.slice(0, at).trim()), field.slice(at + 1).trim()];
    }),
  );
  if (fields.get('usedevelopmentstorage') === 'true') {
    const { name, keys } = developmentAccount;
    return accountEnd(`http://127.0.0.1:10002/${name}`, keyCredential(name, keys[0] ?? ''));
  }
  const endpoint = fields.get('tableendpoint') ?? endpointOf(fields);
  if (!/^https?:/i.test(endpoint) || !URL.canParse(endpoint))
    throw new CopyFault('The endpoint of the connection string is not a URL.');
  // The endpoint of a Cosmos DB account has its name.
  const name = fields.get('accountname') ?? new URL(endpoint).hostname.split('.', 1)[0];
  const [key, signature] = [fields.get('accountkey'), fields.get('sharedaccesssignature')];
  if (signature) return accountEnd(endpoint, signatureCredential(signature));
  if (name && key) return accountEnd(endpoint, keyCredential(name, key));
  throw new CopyFault('The connection string has neither a key nor a signature.');
}

/** Returns the table endpoint that other fields imply. Errors: CopyFault. */
function endpointOf(fields: ReadonlyMap<string, string>): string {
  const ofCosmos = fields.get('accountendpoint');
  if (ofCosmos) return ofCosmos.replace('.documents.azure.', '.table.cosmos.azure.');
  const name = fields.get('accountname');
  if (!name) throw new CopyFault('The connection string has neither AccountName nor TableEndpoint.');
  const scheme = fields.get('defaultendpointsprotocol') ?? 'https';
  return `${scheme}://${name}.table.${fields.get('endpointsuffix') ?? 'core.windows.net'}`;
}

function readAddress(text: string, environment: NodeJS.ProcessEnv): AccountEnd {
  if (!URL.canParse(text)) throw new CopyFault('The URL of an account is not valid.');
  const { origin, hostname, pathname, search, host } = new URL(text);
  // An emulator has the account in the path; so does any address that is a number.
  const isByPath = /^(?:localhost|[\d.]+|\[.*\])$/.test(hostname) || !hostname.includes('.');
  const [first, second] = pathname.split('/').filter((part) => part !== '');
  const { name, keys } = developmentAccount;
  const account = isByPath ? (first ?? name) : undefined;
  const table = isByPath ? second : first;
  const endpoint = account === undefined ? origin : `${origin}/${account}`;
  if (/[?&]sig=/i.test(search)) return accountEnd(endpoint, signatureCredential(search), table);
  if (account === name) return accountEnd(endpoint, keyCredential(name, keys[0] ?? ''), table);
  if (!/^https:/i.test(origin))
    throw new CopyFault(`${host} needs a connection string or a signed URL: a token is sent only by https.`);
  if (!environment['TABULARIUM_COPY_TOKEN'] && !azureHost.test(hostname))
    throw new CopyFault(
      `${host} is neither a host of Azure nor this machine, so it needs TABULARIUM_COPY_TOKEN, a connection string or a signed URL.`,
    );
  const resource = cosmosHost.test(host) ? `https://${hostname}` : 'https://storage.azure.com';
  return accountEnd(endpoint, tokenCredential(resource, environment), table);
}

/** The hosts that get a token of the Azure CLI: those of the clouds of Azure, and this machine. */
const azureHost =
  /\.(?:core\.windows\.net|core\.usgovcloudapi\.net|core\.chinacloudapi\.cn|cosmos\.azure\.(?:com|us|cn))$|^(?:localhost|127\.[\d.]+|\[::1\])$/i;

/** The hosts of Cosmos DB. Source: cosmos 14. */
const cosmosHost = /\.table\.cosmos(?:db)?\./i;

/** SDKs know an emulator of Cosmos DB by `localhost` and a port that is not that of tables. Source: cosmos 14. */
function accountEnd(endpoint: string, credential: Credential, table?: string): AccountEnd {
  const { hostname, port, pathname } = new URL(endpoint);
  const isEmulator =
    hostname === 'localhost' && port !== '10002' && !pathname.startsWith(`/${developmentAccount.name}`);
  return { kind: 'account', endpoint, credential, isCosmos: isEmulator || cosmosHost.test(hostname), table };
}
