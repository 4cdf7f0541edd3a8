/** The wish for a shared access signature, not yet checked. Without `table`, it is for the whole account. */
export interface AccessWish {
  readonly table?: string;
  /** Its letters in any order; all of them if absent, or those of the policy. */
  readonly permissions?: string;
  readonly start?: string;
  readonly expiry?: string;
  /** Hours of validity if there is no `expiry`; 1 if absent. */
  readonly hours?: string | number;
  readonly ip?: string;
  readonly httpsOnly?: boolean;
  readonly policy?: string;
  readonly resourceTypes?: string;
  readonly startPartition?: string;
  readonly startRow?: string;
  readonly endPartition?: string;
  readonly endRow?: string;
}
