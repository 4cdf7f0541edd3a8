import { readDuration } from '../duration.js';
import type { AssignedPrincipal } from '../identity/principal.js';
import { count, list, name, object, optional, text } from '../schema.js';
import { duration } from './fields.js';
import { RejectedCall, type VerbServer, verb } from './verb.js';

const Variable = object('Variable', 'A variable of the environment.', {
  name: name('Its name.'),
  value: text('Its value.'),
});

export const IdentityVariables = object('IdentityVariables', 'The environment of a program that runs as an identity.', {
  set: list('The variables to set. One of them is a secret.', Variable),
  remove: list('The variables to remove, by which the program would find other credentials.', name('A variable.')),
});

const HeldRole = object('HeldRole', 'A role that an identity has.', {
  role: name('The role.'),
  account: optional(name('The account that it is limited to.')),
  table: optional(name('The table that it is limited to.')),
});

const IdentitySummary = object('IdentitySummary', 'An identity with its roles.', {
  name: name('Its name in the file of identities.'),
  clientId: name('The ID of its program.'),
  objectId: name('Its own ID, which roles are assigned to.'),
  roles: list('Its roles.', HeldRole),
});

const IdentityList = object('IdentityList', 'The identities of a server.', {
  tenant: name('Their tenant.'),
  keys: name('Whether requests that are signed with a key are `accepted` or `rejected`.'),
  identities: list('The identities, in the order of their file.', IdentitySummary),
});

const IdentityToken = object('IdentityToken', 'A token of an identity.', {
  token: name('The token, a secret.'),
  expiresOn: count('When it expires, in seconds since 1970.'),
  resource: name('Its resource.'),
});

const identityName = name('Name of the identity.', { value: 'NAME', example: 'reader' });

/** Returns the identities of a server. Errors: RejectedCall if it has none. */
function identitiesOf({ identity }: VerbServer): NonNullable<VerbServer['identity']> {
  if (identity) return identity;
  throw new RejectedCall(404, 'This server has no identities. Start it with --https and --identity FILE.');
}

/** Finds an identity by its name. Errors: RejectedCall with the nearest name. */
function chooseIdentity(server: VerbServer, chosen: string): AssignedPrincipal {
  const { identities } = identitiesOf(server);
  try {
    return identities.choose(chosen);
  } catch (error) {
    throw new RejectedCall(404, error instanceof Error ? error.message : String(error));
  }
}

export const identityList = verb({
  name: 'identity list',
  does: 'List the identities with their client IDs and roles.',
  http: 'GET /identities',
  changes: 'nothing',
  example: 'identity list',
  takes: {},
  answers: IdentityList,
  lists: 'identities',
  run(server) {
    const { identities } = identitiesOf(server);
    return {
      tenant: identities.tenant,
      keys: identities.rejectsKeys ? 'rejected' : 'accepted',
      identities: identities.list().map(({ name = '', clientId = '', objectId, roles }) => ({
        ...{ name, clientId, objectId },
        roles: roles.map(({ role, account, table }) => ({
          role,
          ...(account !== undefined && { account }),
          ...(table !== undefined && { table }),
        })),
      })),
    };
  },
  lines: ({ identities }) =>
    identities.map(({ name, clientId, roles }) => {
      const held = roles.map(({ role, account, table }) => [role, account && ` on ${account}`, table && `/${table}`]);
      return `${name} (${clientId}): ${held.map((parts) => parts.filter(Boolean).join('')).join(', ') || 'no role'}`;
    }),
});

export const identityEnvironment = verb({
  name: 'identity environment',
  does: 'Print the variables that let a program run as an identity, as a .env file.',
  notes: 'The program must also trust the certificate of the server.',
  http: 'POST /identities/{name}/environment',
  changes: 'behavior',
  example: 'identity environment reader',
  takes: { name: identityName },
  words: ['name'],
  answers: IdentityVariables,
  run: async (server, { name }, { root }) => identitiesOf(server).environmentOf(chooseIdentity(server, name), root),
  lines: ({ set }) => set.map(({ name, value }) => `${name}=${value}`),
});

/** Longest lifetime of a requested token. Unit: milliseconds. (Our choice.) */
const lifetimeMax = 365 * 86_400_000;

export const identityToken = verb({
  name: 'identity token',
  does: 'Print a token of an identity, for curl and other programs without an SDK.',
  http: 'POST /identities/{name}/token',
  changes: 'behavior',
  example: 'identity token reader',
  takes: {
    name: identityName,
    resource: optional(name('Its resource (default: https://storage.azure.com).', { value: 'URL' })),
    expires: optional(duration('How long it is valid (default: as the file of identities says).', { example: '5m' })),
  },
  words: ['name'],
  answers: IdentityToken,
  async run(server, { name: chosen, resource = 'https://storage.azure.com', expires: length }) {
    const principal = chooseIdentity(server, chosen);
    const ms = length === undefined ? undefined : (readDuration(length) ?? 0);
    if (ms !== undefined && (ms < 1000 || ms > lifetimeMax)) {
      throw new RejectedCall(400, `A token is valid for 1s to 365d; got ${length}.`);
    }
    const seconds = ms === undefined ? undefined : Math.floor(ms / 1000);
    const { token, expires } = await identitiesOf(server).identities.issue(principal, resource, seconds);
    return { token, expiresOn: expires, resource };
  },
  // A single line, so that scripts can use the output as is.
  lines: ({ token }) => [token],
});
