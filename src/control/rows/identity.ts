import { disturbingVariables, environmentFor } from '../../identity/environment.js';
import type { Identities } from '../../identity/identities.js';
import type { IdentityVerbs } from '../../verbs/verb.js';
import { controlRoot } from '../../wire/reserved-endpoints.js';
import { answerJson, type ControlAnswer, type ControlRow } from '../control-row.js';

/** The parameters that select one of several identities with the same secret. Source: identity 1. */
const choosers = ['client_id', 'object_id', 'principal_id', 'mi_res_id'] as const;

/** The root of a server on all interfaces, whose reachable host only its callers know. */
const anyHost = /^https?:\/\/(?:0\.0\.0\.0|\[::\])(?::|$)/;

/**
 * Returns the rows of identities: the token endpoint of Azure App Service, and the public keys. `urlOf` returns the root of the server,
 * and is called only once it listens.
 */
export function identityRows(identities: Identities, urlOf: () => string): readonly ControlRow[] {
  return [
    {
      method: 'GET',
      path: `${controlRoot}/identity/token`,
      purpose: 'a token, as Azure App Service gives it to a managed identity',
      rejectsHead: true,
      isOpen: true,
      rejectsPages: true,
      run: (request) => answerToken(identities, request.query, request.headers?.['x-identity-header']),
    },
    {
      method: 'GET',
      path: `${controlRoot}/identity/keys`,
      purpose: 'the public keys of the tokens, for services that verify them',
      isOpen: true,
      run: () => answerJson(200, { keys: [identities.issuer.publicKey] }),
    },
    {
      method: 'GET',
      path: `${controlRoot}/identity/.well-known/openid-configuration`,
      purpose: 'the issuer of the tokens, and where its keys are',
      isOpen: true,
      run: ({ root: reached }) => {
        const own = urlOf();
        const root = anyHost.test(own) ? (reached ?? own) : own;
        return answerJson(200, {
          issuer: identities.issuerName,
          jwks_uri: `${root}${controlRoot}/identity/keys`,
          token_endpoint: `${root}${controlRoot}/identity/token`,
          response_types_supported: ['token'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        });
      },
    },
  ];
}

/** Returns the identities for verbs. `urlOf` is called only once the server listens. */
export function identityVerbs(identities: Identities, urlOf: () => string, account: () => string): IdentityVerbs {
  return {
    identities,
    environmentOf(principal, root = urlOf()) {
      const variables = environmentFor(identities, principal, { root, account: account() });
      return {
        set: Object.entries(variables).map(([name, value]) => ({ name, value })),
        remove: [...disturbingVariables],
      };
    },
  };
}

/** Responds like the token endpoint of Azure App Service, with every value a string. Source: identity 1. */
async function answerToken(
  identities: Identities,
  query: URLSearchParams,
  header: string | string[] | undefined,
): Promise<ControlAnswer> {
  const reject = (statusCode: number, message: string) => answerJson(statusCode, { statusCode, message });
  const own = typeof header === 'string' ? identities.secrets.find(header, identities.list()) : [];
  if (own.length === 0) return reject(401, 'The X-IDENTITY-HEADER is missing or not known.');
  const resource = query.get('resource');
  if (!resource) return reject(400, 'The parameter resource is missing.');
  const named = choosers.map((chooser) => query.get(chooser)).find((value) => value);
  const id = named?.slice(named.lastIndexOf('/') + 1);
  const [principal, ...others] = own.filter((one) => id === undefined || one.isNamed(id));
  if (!principal) {
    return reject(
      400,
      'No User Assigned or Delegated Managed Identity found for specified ClientId/ResourceId/PrincipalId.',
    );
  }
  if (others.length > 0) {
    return reject(400, 'The secret is that of several identities. Name one of them by client_id.');
  }
  const { token, expires } = await identities.issue(principal, resource);
  return answerJson(200, {
    access_token: token,
    client_id: principal.clientId,
    expires_on: String(expires),
    resource,
    token_type: 'Bearer',
  });
}
