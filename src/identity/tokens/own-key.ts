import { createHmac, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeFile, renameFile } from '../../change-file.js';
import { ConfigError } from '../../config.js';
import { readUserFile, reasonOf } from '../../user-files/read-text-file.js';

/** The location of a server's key: a file of the user, a folder of the server, or nowhere, so that each start creates another one. */
export interface OwnKeyPlace {
  readonly file?: string | undefined;
  readonly folder?: string | undefined;
}

/** The RSA key by which a server signs tokens, and the secrets that follow from it. */
export class OwnKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly #seed: Buffer;

  constructor(privateKey: KeyObject) {
    this.privateKey = privateKey;
    this.publicKey = createPublicKey(privateKey);
    this.#seed = privateKey.export({ type: 'pkcs8', format: 'der' });
  }

  /** Derives a secret of 32 bytes for a purpose, always the same for one key. */
  deriveSecret(...purpose: readonly string[]): Buffer {
    // As JSON: with a separator, two purposes could be equal.
    return createHmac('sha256', this.#seed).update(JSON.stringify(purpose)).digest();
  }
}

const generate = promisify(generateKeyPair);

/**
 * Reads the key of a server, or creates it. A stored key survives a restart: programs cache their tokens, and would otherwise be
 * locked out until these expire. Errors: ConfigError for a file that is not an RSA key of at least 2048 bits.
 */
export async function openOwnKey({ file, folder }: OwnKeyPlace): Promise<OwnKey> {
  if (file !== undefined) return readKey(file);
  if (folder === undefined) return new OwnKey(await makeKey());
  const kept = join(folder, 'key.pem');
  if (!existsSync(kept)) await writeKey(folder, kept);
  // An earlier copy may have left it readable for other users of the machine.
  else if (process.platform !== 'win32' && ((await stat(kept)).mode & 0o077) !== 0) await chmod(kept, 0o600);
  return readKey(kept);
}

async function makeKey(): Promise<KeyObject> {
  const { privateKey } = await generate('rsa', { modulusLength: 2048 });
  return privateKey;
}

/** Writes a new key atomically. It has its mode from its first byte on. */
async function writeKey(folder: string, kept: string): Promise<void> {
  const pem = (await makeKey()).export({ type: 'pkcs8', format: 'pem' });
  const written = `${kept}.${process.pid}.new`;
  await mkdir(folder, { recursive: true });
  await removeFile(written);
  await writeFile(written, pem, { mode: 0o600, flag: 'wx' });
  await renameFile(written, kept);
}

async function readKey(file: string): Promise<OwnKey> {
  const pem = await readUserFile(file).catch((error: unknown) => {
    throw new ConfigError(`The key of the identities in ${file} cannot be read: ${reasonOf(error)}.`);
  });
  const key = asKey(pem);
  if (key?.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048)
    return new OwnKey(key);
  throw new ConfigError(
    `${file} is not an RSA key of at least 2048 bits in PEM. Make one with: openssl genrsa -out ${file} 2048`,
  );
}

function asKey(pem: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
