import { type CryptoKey, importJWK, type JWK } from 'jose';
import type { Principal, TokenAuthority, VerifiedToken } from '../auth/token-authority.js';
import { ConfigError } from '../config.js';
import { didYouMean } from '../nearest-name.js';
import type { DelegationKeyFields } from '../protocol/access/user-delegation.js';
import { lowerAscii } from '../protocol/names.js';
import { AssignedPrincipal } from './principal.js';
import type { IdentityDefinition } from './read-definition.js';
import type { IdentitySecrets } from './secrets.js';
import type { IssuedToken, Issuer } from './tokens/issuer.js';
import type { IssuerKeys } from './tokens/issuer-keys.js';
import { issuerOf } from './tokens/token-claims.js';
import { TokenVerifier } from './tokens/verify-token.js';

/** A definition with the keys of the issuers that it trusts. */
export interface LoadedDefinition extends IdentityDefinition {
  readonly trustedKeys: ReadonlyMap<string, IssuerKeys>;
}

/** The identities of a server, with their roles and tokens. The definition may change while it runs. */
export class Identities implements TokenAuthority {
  readonly issuer: Issuer;
  readonly secrets: IdentitySecrets;
  readonly #ownKeys: IssuerKeys;
  #definition: LoadedDefinition;
  #verifier: TokenVerifier;

  private constructor(issuer: Issuer, ownKeys: IssuerKeys, secrets: IdentitySecrets, definition: LoadedDefinition) {
    this.issuer = issuer;
    this.#ownKeys = ownKeys;
    this.secrets = secrets;
    this.#definition = definition;
    this.#verifier = this.#createVerifier(definition);
  }

  static async open(issuer: Issuer, secrets: IdentitySecrets, definition: LoadedDefinition): Promise<Identities> {
    const { kid = '' } = issuer.publicKey;
    const key = (await importJWK(issuer.publicKey as JWK, 'RS256')) as CryptoKey;
    return new Identities(issuer, new Map([[kid, key]]), secrets, definition);
  }

  /** Replaces the definition. It applies from the next request on, even to a known token. */
  replace(definition: LoadedDefinition): void {
    const verifier = this.#createVerifier(definition);
    this.#definition = definition;
    this.#verifier = verifier;
  }

  get rejectsKeys(): boolean {
    return this.#definition.rejectsKeys;
  }

  get tenant(): string {
    return this.#definition.tenant;
  }

  /** The `iss` of the tokens of this server. */
  get issuerName(): string {
    return issuerOf(this.tenant);
  }

  /** Returns the identities in the order of their file. */
  list(): readonly AssignedPrincipal[] {
    return this.#definition.principals;
  }

  /** Finds an identity by its name; the only one if no name is given. Errors: ConfigError with the nearest name. */
  choose(named: string | undefined): AssignedPrincipal {
    const names = this.list().map(({ name }) => name ?? '');
    const [only, ...others] = this.list();
    if (named === undefined && only && others.length === 0) return only;
    if (named === undefined) throw new ConfigError(`Name an identity: ${names.join(', ')}.`);
    const found = this.list().find(({ name }) => name === named);
    if (found) return found;
    throw new ConfigError(`There is no identity '${named}'. ${didYouMean(named, names)}`);
  }

  verify(token: string, now: number): VerifiedToken | Promise<VerifiedToken> {
    return this.#verifier.verify(token, now);
  }

  principalOf(ids: Pick<Principal, 'objectId' | 'tenant'>): Principal {
    return principalIn(this.#definition, ids);
  }

  delegationValue({
    account,
    objectId,
    tenant,
    start,
    expiry,
    service,
    version,
    delegatedTenant,
  }: DelegationKeyFields) {
    const fields = [account, objectId, tenant, start, expiry, service, version, delegatedTenant];
    return this.secrets.deriveSecret('user delegation key', ...fields);
  }

  /** Issues a token for a resource. `seconds` is its lifetime; absent: that of the definition. */
  issue(principal: AssignedPrincipal, resource: string, seconds?: number): Promise<IssuedToken> {
    return this.issuer.issue(principal, resource, Date.now(), seconds ?? this.#definition.tokenSeconds);
  }

  #createVerifier(definition: LoadedDefinition): TokenVerifier {
    const { tenant, trustedKeys } = definition;
    const own = issuerOf(tenant);
    const issuers = new Map(trustedKeys);
    issuers.set(own, new Map([...(trustedKeys.get(own) ?? []), ...this.#ownKeys]));
    return new TokenVerifier({ issuers, principalOf: (ids) => principalIn(definition, ids) });
  }
}

/** Returns the identity of the file that has these IDs, or a principal without roles: an identity exists only in its tenant. */
function principalIn(
  { tenant, principals }: IdentityDefinition,
  { clientId, ...ids }: Pick<Principal, 'objectId' | 'tenant'> & { readonly clientId?: string | undefined },
): AssignedPrincipal {
  const isHere = lowerAscii(ids.tenant) === tenant;
  const known = isHere ? principals.find(({ objectId }) => objectId === lowerAscii(ids.objectId)) : undefined;
  return (
    known?.as({ clientId: clientId ?? known.clientId, tenant: ids.tenant }) ??
    new AssignedPrincipal({ name: undefined, clientId, ...ids }, [])
  );
}
