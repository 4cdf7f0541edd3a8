/**
 * Returns the addresses at which a server with this host listens. `localhost` has two, and a client takes either; so does a
 * server at 127.0.0.1, where the second one may be missing.
 */
export function listenedAddresses(host: string): readonly [string, ...string[]] {
  return host === 'localhost' || host === '127.0.0.1' ? ['127.0.0.1', '::1'] : [host];
}
