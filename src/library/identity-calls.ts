import { ConfigError } from '../config.js';
import type { RunningServer } from '../server.js';
import type { IdentityCredential } from './tabularium.js';

/**
 * Returns the credential of an identity; of the only one if none is named. Errors: ConfigError, with the nearest name, and if
 * the instance has no identities.
 */
export function createCredential(
  { identities }: Pick<RunningServer, 'identities'>,
  name: string | undefined,
): IdentityCredential {
  if (!identities) throw new ConfigError('The instance has no identities. Start it with https and identities.');
  const { name: chosen } = identities.choose(name);
  return {
    async getToken(scopes) {
      const resource = [scopes].flat()[0]?.replace(/\/\.default$/, '') ?? '';
      // By its name, because the file may have changed.
      const { token, expires } = await identities.issue(identities.choose(chosen), resource);
      return { token, expiresOnTimestamp: expires * 1000 };
    },
  };
}
