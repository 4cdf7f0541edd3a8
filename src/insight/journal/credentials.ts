/** How a request was signed, as the logs of the service name it. */
export const credentialKinds = ['Anonymous', 'AccountKey', 'SAS', 'OAuth'] as const;

/** Matches the parameter of a signature. Its name counts percent-encoded, too. */
const signed = /[?&](?:s|%73)(?:i|%69)(?:g|%67)=/;

/** Returns how a request is signed, as an index of `credentialKinds`. Nothing of the signature is read. */
export function credentialsOf(authorization: string | undefined, target: string): number {
  if (authorization === undefined) return signed.test(target) ? 2 : 0;
  if (authorization.startsWith('SharedKey')) return 1;
  return authorization.startsWith('Bearer ') ? 3 : 0;
}
