import { delegationKeyMax, type KeyInfo } from '../protocol/access/user-delegation.js';
import { TableError } from '../protocol/errors.js';
import { protocolVersions } from '../protocol/versions.js';
import type { RequestBody, RequestContext, StoreOperation } from './operation.js';

/** Get Table Service Properties. Answers with the settings. Source: operations 8.6. */
export const getServiceProperties: StoreOperation = {
  name: 'Get Table Service Properties',
  kind: 'store',

  async run({ shared: { account } }, store) {
    return { kind: 'service-properties', properties: await store.readServiceProperties(account) };
  },
};

/**
 * Set Table Service Properties: changes the settings that the body contains.
 *
 * Errors: InvalidXmlDocument, InvalidXmlNodeValue (400). Source: operations 8.7.
 */
export const setServiceProperties: StoreOperation<RequestBody> = {
  name: 'Set Table Service Properties',
  kind: 'store',

  read(_request, body) {
    return body;
  },

  async run({ shared: { account } }, store, body) {
    await store.writeServiceProperties(account, await body.readServiceProperties());
    return { kind: 'service-properties-set' };
  },
};

/**
 * Get Table Service Stats: the state of replication, on the secondary endpoint only. Nothing is replicated here, so the
 * secondary is always live and up to date.
 *
 * Errors, before it runs: InvalidQueryParameterValue on the primary endpoint (400). Source: operations 8.8.
 */
export const getServiceStats: StoreOperation = {
  name: 'Get Table Service Stats',
  kind: 'store',

  run({ shared: { now } }) {
    return { kind: 'service-stats', syncedAt: new Date(now()) };
  },
};

/**
 * Get User Delegation Key: a key by which an identity signs access for others. Only a verified identity gets one.
 *
 * Errors: NotImplemented (501) for other callers and older versions, InvalidXmlDocument, InvalidXmlNodeValue for an expiry that is
 * not within 7 days from the start and from now. Source: identity 5.
 */
export const getUserDelegationKey: StoreOperation<Promise<KeyInfo>> = {
  name: 'Get User Delegation Key',
  kind: 'store',

  read({ shared: { identity, version } }, body) {
    if (identity.kind !== 'principal' || version < protocolVersions.userDelegation) {
      throw new TableError('NotImplemented');
    }
    const info = body.readKeyInfo();
    // Nobody awaits it if the permission check rejects the request.
    info.catch(() => {});
    return info;
  },

  async run({ shared }, _store, reading) {
    const { identity, account, version } = shared;
    if (identity.kind !== 'principal') throw new Error('reading rejects every other identity');
    const { start, expiry, delegatedTenant = '' } = await reading;
    const begun = start ?? `${new Date(shared.now()).toISOString().slice(0, 19)}Z`;
    checkTimes(shared, Date.parse(begun), Date.parse(expiry));
    const { objectId, tenant } = identity.principal;
    const key = { account, objectId, tenant, start: begun, expiry, service: 't', version, delegatedTenant };
    return { kind: 'user-delegation-key', key, value: identity.authority.delegationValue(key).toString('base64') };
  },
};

function checkTimes({ now }: RequestContext, start: number, expiry: number): void {
  const latest = Math.max(start, now()) + delegationKeyMax;
  const isWithin = start < expiry && now() < expiry && expiry - start <= delegationKeyMax && expiry <= latest;
  if (!isWithin) throw new TableError('InvalidXmlNodeValue');
}
