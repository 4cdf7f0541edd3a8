import { join } from 'node:path';
import { type Config, ConfigError } from '../../config.js';
import type { ResolvedOptions } from './option-sources.js';
import { readOauth, readText } from './read-value.js';

/** The settings of bearer tokens and identities. They are a part of the option table. */
export const identityOptions = {
  oauth: {
    flags: '--oauth <level>',
    help: 'accept bearer tokens without verifying them; the only level is basic, and it needs HTTPS',
    read: readOauth,
    fallback: undefined,
  },
  identity: {
    flags: '--identity <file>',
    help: 'verify bearer tokens of the identities in this JSON file, which may do what their roles permit; needs HTTPS',
    read: readText,
    fallback: undefined,
  },
  identityKey: {
    flags: '--identityKey <file>',
    help: 'RSA key in PEM that signs the tokens of identities; by default the server makes and keeps one',
    read: readText,
    fallback: undefined,
  },
  identitySecrets: {
    flags: undefined,
    help: 'secrets by which programs get tokens, as name=secret;name=secret; by default they follow from the key',
    read: readText,
    fallback: undefined,
    isSecret: true,
  },
} as const;

/** Returns where the identities are. Errors: ConfigError for settings that exclude each other. */
export function chooseIdentity(
  { settings }: Pick<ResolvedOptions, 'settings'>,
  { inMemory, database }: Pick<Config, 'inMemory' | 'database'>,
): Config['identity'] {
  const { identity: source, identityKey: keyFile, identitySecrets: secrets, oauth, location } = settings;
  if (source === undefined) return undefined;
  if (oauth !== undefined) {
    throw new ConfigError('--identity and --oauth exclude each other: --oauth accepts tokens without verifying them.');
  }
  // A server in memory, or in a database, must not leave a private key on disk.
  const keyFolder = inMemory || database ? undefined : join(location, 'tabularium-identity');
  return { source, keyFile, keyFolder, secrets };
}
