import { count, list, name, object, optional, text } from '../../schema.js';

const HeldRole = object('HeldRole', 'A role that an identity has.', {
  role: name('The role.'),
  account: optional(name('The account that it is limited to.')),
  table: optional(name('The table that it is limited to.')),
});

/** An identity, without its secret. */
export const IdentitySummary = object('IdentitySummary', 'An identity with its roles.', {
  name: name('Its name in the file of identities.'),
  clientId: name('The ID of its program.'),
  objectId: name('Its own ID, which roles are assigned to.'),
  roles: list('Its roles.', HeldRole),
});

/** The identities of a server. */
export const IdentityList = object('IdentityList', 'The identities of a server.', {
  tenant: name('Their tenant.'),
  keys: name('Whether requests that are signed with a key are `accepted` or `refused`.'),
  identities: list('The identities, in the order of their file.', IdentitySummary),
});

/** A token, and when it expires. */
export const IdentityToken = object('IdentityToken', 'A token of an identity.', {
  token: name('The token, a secret.'),
  expiresOn: count('When it expires, in seconds since 1970.'),
  resource: name('What it is for.'),
});

const Variable = object('Variable', 'A variable of the environment.', {
  name: name('Its name.'),
  value: text('Its value.'),
});

/** The environment of a program that runs as an identity. */
export const IdentityVariables = object('IdentityVariables', 'The environment of a program that runs as an identity.', {
  set: list('The variables to set. One of them is a secret.', Variable),
  remove: list('The variables to remove, by which the program would find other credentials.', name('A variable.')),
});
