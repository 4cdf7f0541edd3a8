import { verb } from '../verb.js';
import { IdentityVariables } from './contract.js';
import { chooseIdentity, identitiesOf, identityName } from './identities-of.js';

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
