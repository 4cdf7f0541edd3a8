import { verb } from '../verb.js';
import { IdentityList } from './contract.js';
import { identitiesOf } from './identities-of.js';

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
      keys: identities.refusesKeys ? 'refused' : 'accepted',
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
