import { createHash, timingSafeEqual } from 'node:crypto';
import { ConfigError } from '../config.js';
import type { AssignedPrincipal } from './principal.js';
import type { OwnKey } from './tokens/own-key.js';

/** The shortest secret that users may choose. (Our choice.) */
const secretMin = 16;

/** Parses user-chosen secrets such as `app1=…;reader=…`, which may be equal. Errors: ConfigError, which never contains a secret. */
export function parseSecrets(text: string, source: string): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const entry of text.split(';').map((one) => one.trim())) {
    if (entry === '') continue;
    const at = entry.indexOf('=');
    const [name, secret] = [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
    if (at <= 0 || !/^[\x21-\x7e]+$/.test(secret))
      throw new ConfigError(`${source}: expected name=secret;name=secret.`);
    if (secret.length < secretMin)
      throw new ConfigError(`${source}: the secret of ${name} has fewer than ${secretMin} characters.`);
    secrets.set(name, secret);
  }
  return secrets;
}

/** The secrets by which programs get the tokens of identities: chosen by users, or derived from the key of the server. */
export class IdentitySecrets {
  readonly #key: OwnKey;
  readonly #chosen: ReadonlyMap<string, string>;

  constructor(key: OwnKey, chosen: ReadonlyMap<string, string>) {
    this.#key = key;
    this.#chosen = chosen;
  }

  /** Returns the secret of an identity. It stays the same as long as the key of the server does. */
  secretOf(name: string): string {
    return this.#chosen.get(name) ?? this.#key.deriveSecret('identity header', name).toString('base64url');
  }

  deriveSecret(...purpose: readonly string[]): Buffer {
    return this.#key.deriveSecret(...purpose);
  }

  /** Finds the identities that a secret belongs to. Takes the same time for every secret. */
  find(secret: string, principals: readonly AssignedPrincipal[]): readonly AssignedPrincipal[] {
    const sent = digest(secret);
    return principals.filter(({ name = '' }) => timingSafeEqual(sent, digest(this.secretOf(name))));
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
