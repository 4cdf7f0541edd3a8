import { readDuration } from '../../duration.js';
import { name, optional } from '../../schema.js';
import { duration } from '../fields.js';
import { Refusal, verb } from '../verb.js';
import { IdentityToken } from './contract.js';
import { chooseIdentity, identitiesOf, identityName } from './identities-of.js';

/** The longest lifetime of a token that is asked for. (Our choice.) Unit: milliseconds. */
const lifetimeMax = 365 * 86_400_000;

export const identityToken = verb({
  name: 'identity token',
  does: 'Print a token of an identity, for curl and other programs without an SDK.',
  http: 'POST /identities/{name}/token',
  changes: 'behavior',
  example: 'identity token reader',
  takes: {
    name: identityName,
    resource: optional(name('What it is for (default: https://storage.azure.com).', { value: 'URL' })),
    expires: optional(duration('How long it is valid (default: as the file of identities says).', { example: '5m' })),
  },
  words: ['name'],
  answers: IdentityToken,
  async run(server, { name: chosen, resource = 'https://storage.azure.com', expires: length }) {
    const principal = chooseIdentity(server, chosen);
    const ms = length === undefined ? undefined : (readDuration(length) ?? 0);
    if (ms !== undefined && (ms < 1000 || ms > lifetimeMax)) {
      throw new Refusal(400, `A token is valid for 1s to 365d; got ${length}.`);
    }
    const seconds = ms === undefined ? undefined : Math.floor(ms / 1000);
    const { token, expires } = await identitiesOf(server).identities.issue(principal, resource, seconds);
    return { token, expiresOn: expires, resource };
  },
  // Alone on its line, so that a script can take it as it is.
  lines: ({ token }) => [token],
});
