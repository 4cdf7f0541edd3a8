/** The longest time that a user delegation key is valid. Source: identity 5. Unit: milliseconds. */
export const delegationKeyMax = 7 * 86_400_000;

/** A client's request for a user delegation key. Times are as sent. Source: identity 5. */
export interface KeyInfo {
  /** Absent: now. */
  readonly start: string | undefined;
  readonly expiry: string;
  /** The tenant of the user that signatures may be bound to. */
  readonly delegatedTenant: string | undefined;
}

/** The fields of a user delegation key; the parameters of a signature repeat them. Times are as sent. Source: identity 5. */
export interface DelegationKeyFields {
  readonly account: string;
  /** The object ID and the tenant of the identity that the key was issued to. */
  readonly objectId: string;
  readonly tenant: string;
  readonly start: string;
  readonly expiry: string;
  /** `t` for tables. */
  readonly service: string;
  readonly version: string;
  /** Empty if absent. */
  readonly delegatedTenant: string;
}
