import { authenticate as identify } from '../auth/authenticate.js';
import { RequestTables } from '../operations/request-tables.js';
import type { Service } from './service.js';
import type { Addressed, Authenticated } from './stages.js';

/** Finds out who the sender of a request is. Errors: those of auth. Source: checks-order 2 step 5. */
export function authenticate(service: Service, addressed: Addressed): Authenticated | Promise<Authenticated> {
  const { received, address, namedVersion } = addressed;
  const { method, headers, scheme, caller } = received;
  const { dialect, store } = service;
  const tables = new RequestTables(store, address.account, dialect.operations.foldTableName);
  const identity = identify(
    {
      authorization: headers['authorization'],
      version: dialect.requests.isVersioned ? namedVersion : undefined,
      method,
      address,
      contentMd5: headers['content-md5'] ?? '',
      contentType: headers['content-type'] ?? '',
      date: headers['date'],
      msDate: headers['x-ms-date'],
      scheme,
      caller,
    },
    {
      keys: service.accounts.keysOf(address.account),
      now: service.now(),
      realNow: service.realNow(),
      bearerTokens: service.bearerTokens,
      tokens: service.tokens,
      policies: (table) => tables.open(table).readAccessPolicies(),
    },
  );
  // What is known at once is not awaited, because each wait is another turn of the queue of microtasks.
  if (identity instanceof Promise) return identity.then((known) => ({ received, addressed, identity: known, tables }));
  return { received, addressed, identity, tables };
}
