import { dirname, resolve } from 'node:path';
import type { IdentityConfig } from '../settings/config.js';
import { followFile, type ReadContent } from '../user-files/follow-file.js';
import { readTextFileAsync } from '../user-files/read-text-file.js';
import { Identities, type LoadedDefinition } from './identities.js';
import { type IdentityDefinition, parseDefinition, readDefinition } from './read-definition.js';
import { IdentitySecrets, parseSecrets } from './secrets.js';
import { Issuer } from './tokens/issuer.js';
import { type IssuerKeys, readIssuerKeys } from './tokens/issuer-keys.js';
import { openOwnKey } from './tokens/own-key.js';

/** Is notified of changes to the file of identities. */
export interface IdentityListener {
  changed(path: string, names: readonly string[]): void;
  /** Called once when the file can no longer be used. The identities stay as they were. */
  failed(error: unknown): void;
}

/** The identities of a running server. */
export interface OpenIdentities {
  readonly identities: Identities;
  /** Stops following the file. */
  close(): void;
}

/** Reads the identities of a server and follows their file. Errors: ConfigError. */
export async function openIdentities(
  { source, keyFile, keyFolder, secrets }: IdentityConfig,
  { changed, failed }: IdentityListener,
  everyMs?: number,
): Promise<OpenIdentities> {
  const read = () => (typeof source === 'string' ? readFiles(source) : loadObject(source));
  const { fingerprint, value } = await read();
  const chosen = parseSecrets(secrets ?? '', 'TABULARIUM_IDENTITY_SECRETS');
  const key = await openOwnKey({ file: keyFile, folder: keyFolder });
  const identities = await Identities.open(await Issuer.open(key), new IdentitySecrets(key, chosen), value);
  for (const name of chosen.keys()) identities.choose(name);
  if (typeof source !== 'string') return { identities, close() {} };
  const apply = (definition: LoadedDefinition) => {
    identities.replace(definition);
    changed(
      source,
      definition.principals.map(({ name }) => name ?? ''),
    );
  };
  return { identities, close: followFile(fingerprint, { read, changed: apply, failed }, everyMs) };
}

/** Reads the file and the key files that it names. */
async function readFiles(path: string): Promise<ReadContent<LoadedDefinition>> {
  const text = await readText(path, 'The identities', 'a JSON file of identities');
  const definition = parseDefinition(text, path);
  const { texts, trustedKeys } = await readTrusted(definition, dirname(path));
  return { fingerprint: JSON.stringify([text, ...texts]), value: { ...definition, trustedKeys } };
}

async function loadObject(source: object): Promise<ReadContent<LoadedDefinition>> {
  const definition = readDefinition(source, 'identities');
  const { trustedKeys } = await readTrusted(definition, '.');
  return { fingerprint: '', value: { ...definition, trustedKeys } };
}

/** Reads the keys of the issuers that a definition trusts. Nothing is fetched. */
async function readTrusted(
  { trusted }: IdentityDefinition,
  folder: string,
): Promise<{ readonly texts: readonly string[]; readonly trustedKeys: ReadonlyMap<string, IssuerKeys> }> {
  const texts: string[] = [];
  const trustedKeys = new Map<string, IssuerKeys>();
  for (const { issuer, jwks } of trusted) {
    const path = resolve(folder, jwks);
    const text = await readText(path, `The keys of ${issuer}`, 'the document of its jwks_uri, saved as a file');
    texts.push(text);
    trustedKeys.set(issuer, new Map([...(trustedKeys.get(issuer) ?? []), ...(await readIssuerKeys(text, path))]));
  }
  return { texts, trustedKeys };
}

function readText(path: string, content: string, wanted: string): Promise<string> {
  return readTextFileAsync({ path, subject: `${content} in ${path}`, wanted });
}
