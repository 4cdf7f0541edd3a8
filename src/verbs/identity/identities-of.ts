import type { AssignedPrincipal } from '../../identity/principal.js';
import { name } from '../../schema.js';
import { Refusal, type VerbServer } from '../verb.js';

/** The name of an identity. */
export const identityName = name('Name of the identity.', { value: 'NAME', example: 'reader' });

/** Returns the identities of a server. Errors: Refusal if it has none. */
export function identitiesOf({ identity }: VerbServer): NonNullable<VerbServer['identity']> {
  if (identity) return identity;
  throw new Refusal(404, 'This server has no identities. Start it with --https and --identity FILE.');
}

/** Finds an identity by its name. Errors: Refusal with the nearest name. */
export function chooseIdentity(server: VerbServer, chosen: string): AssignedPrincipal {
  const { identities } = identitiesOf(server);
  try {
    return identities.choose(chosen);
  } catch (error) {
    throw new Refusal(404, error instanceof Error ? error.message : String(error));
  }
}
