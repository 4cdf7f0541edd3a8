import { accountNamesIn, isUnknownAccount, parseAddress, unknownAccount } from '../address/parse-address.js';
import type { Resource } from '../address/resource.js';
import { authenticate as identify } from '../auth/authenticate.js';
import { hasSignature, signedVersion } from '../auth/shared-access-signature.js';
import { RequestTables } from '../operations/request-tables.js';
import { notInService, TableError } from '../protocol/errors.js';
import { targetBytesMax } from '../protocol/limits.js';
import type { CorsRule } from '../protocol/service-properties.js';
import { isVersion, newestVersion, protocolVersions, servedVersion } from '../protocol/versions.js';
import type { Eventual } from '../store/store.js';
import { answerPreflight, noRules, readRules, settleRules } from './cors.js';
import { type FaultMarks, noMarks } from './gate.js';
import { type Outcome, reject, tell } from './outcome.js';
import { checkReadOnly, checkSignedRange, readResource, routeTo } from './route.js';
import { type Done, load, run, runInGate } from './run.js';
import type { Service } from './service.js';
import type { Addressed, Authenticated, Received, Routed } from './stages.js';

/**
 * Serves one request, from its head to its outcome. The order of the statements is the service's order of checks.
 * Source: checks-order 2.
 *
 * Any error ends the request at the stage that it reached. The promise rejects only if a dialect fails to write an error.
 * Results that are available at once are not awaited, because each wait is another turn of the microtask queue.
 */
export async function serve(service: Service, received: Received): Promise<Outcome> {
  let addressed: Addressed | undefined;
  let rules: Eventual<readonly CorsRule[]> = noRules;
  let resource: Resource | undefined;
  let routed: Routed | undefined;
  let bytes: Buffer | undefined;
  let faults: FaultMarks | undefined;
  let done: Done | undefined;
  try {
    service.hosts.check(received.headers);
    checkHead(service, received);

    const place = findAddress(service, received);
    addressed = place instanceof Promise ? await place : place;
    checkAddressed(service, addressed);

    rules = readRules(service, addressed);
    if (received.method === 'OPTIONS' && service.dialect.requests.hasCors) {
      done = { answer: answerPreflight(received, await rules), written: undefined };
    } else {
      const sender = authenticate(service, addressed);
      const authenticated = sender instanceof Promise ? await sender : sender;

      const found = readResource(service, authenticated);
      resource = found instanceof Promise ? await found : found;
      routed = routeTo(service, authenticated, received, resource, addressed.address.query);
      if (addressed.address.secondary) checkReadOnly(service, routed);
      const { identity } = authenticated;
      if (identity.kind === 'table-signature') checkSignedRange(service, identity);

      if (routed.row.takes !== undefined) bytes = await received.readBody();
      const body = load(service, routed, bytes);
      const loaded = body instanceof Promise ? await body : body;

      if (service.gate?.isActive) faults = noMarks();
      const running = faults ? runInGate(service, loaded, faults) : run(service, loaded);
      done = running instanceof Promise ? await running : running;
    }

    if (rules instanceof Promise) rules = await settleRules(service, addressed, rules);
    const told = tell(service, { received, addressed, rules, resource, routed, bytes, done }, rules, faults);
    return told instanceof Promise ? await told : told;
  } catch (error) {
    return reject(service, { received, addressed, rules, resource, routed, bytes, done }, error, faults);
  }
}

/**
 * Checks the length and the characters of the target, that the named version exists, and that a POST or PUT has a length or
 * chunks. The service performs these checks before it reads the address.
 *
 * Errors: InvalidUri, InvalidHeaderValue, MissingContentLengthHeader. Source: operations 3; operations 4.4.
 */
function checkHead({ dialect }: Service, { method, target, headers }: Received): void {
  const max = targetBytesMax;
  if (target.length > max) throw new TableError('InvalidUri', { variant: { name: 'target-too-long', max } });
  dialect.requests.checkTarget(target);
  if (dialect.requests.isVersioned) checkVersion(headers['x-ms-version']);
  if (method !== 'POST' && method !== 'PUT') return;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    throw new TableError('MissingContentLengthHeader');
  }
}

function checkVersion(named: string | undefined): void {
  // An empty header names none.
  if (!named || isVersion(named)) return;
  const needs = `Send a date that exists and is not before ${protocolVersions.oldest}, such as 2019-02-02.`;
  const evidence = () => ({ check: 'header-value', header: 'x-ms-version', value: named, needs }) as const;
  throw new TableError('InvalidHeaderValue', { evidence });
}

/**
 * Finds the account, the endpoint and the version of a request.
 *
 * Errors: ResourceNotFound for an account that no server has; RequestUrlFailedToParse. Source: checks-order 2 step 3.
 */
function findAddress(service: Service, received: Received): Addressed | Promise<Addressed> {
  try {
    return addressOf(service, received);
  } catch (error) {
    if (!isUnknownAccount(error)) throw error;
    const ended = endedAccount(service, received);
    if (ended || !service.findAccounts) throw ended ?? error;
    // Another server may have created the account.
    return service.findAccounts().then(() => addressOf(service, received));
  }
}

/** Returns the error of a request to an account that has ended; undefined if none is known by that name. */
function endedAccount({ accounts, names }: Service, { target, headers }: Received): TableError | undefined {
  const [ending] = accountNamesIn({ url: target, host: headers['host'] ?? '' }).flatMap(
    (name) => accounts.endingOf(name) ?? [],
  );
  return ending === undefined ? undefined : unknownAccount(names, ending);
}

function addressOf({ names, pathFirst, dialect }: Service, received: Received): Addressed {
  const { target, headers, scheme } = received;
  const { isVersioned, hasDefaultAccount } = dialect.requests;
  const asked = { url: target, host: headers['host'] || received.arrivedAt, scheme };
  const address = parseAddress(asked, names, { pathFirst, hasDefaultAccount });
  const speaksXml = address.query.has('comp');
  const inHeader = headers['x-ms-version'] || undefined;
  const isSigned = isVersioned && headers['authorization'] === undefined && hasSignature(address.query);
  const namedVersion = isSigned ? signedVersion(address.query, inHeader) : inHeader;
  const isKnown = namedVersion === undefined || namedVersion === inHeader || isVersion(namedVersion);
  const version = isVersioned ? servedVersion(isKnown ? namedVersion : inHeader) : newestVersion;
  return { received, namedVersion, version, address, speaksXml };
}

/**
 * Checks that the service has the operations of `?comp=`, and that the version of a signature exists.
 *
 * Errors: those of `rejectionOfComp`; InvalidHeaderValue.
 */
function checkAddressed({ dialect }: Service, { received, address, namedVersion, speaksXml }: Addressed): void {
  const { requests } = dialect;
  const rejection = speaksXml ? requests.rejectionOfComp(address.query.get('comp') ?? '') : undefined;
  if (rejection) throw notInService(rejection, 'comp');
  if (requests.isVersioned && namedVersion !== received.headers['x-ms-version']) checkVersion(namedVersion);
}

/** Identifies the sender of a request. Errors: those of auth. Source: checks-order 2 step 5. */
function authenticate(service: Service, addressed: Addressed): Authenticated | Promise<Authenticated> {
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
  if (identity instanceof Promise) return identity.then((known) => ({ received, addressed, identity: known, tables }));
  return { received, addressed, identity, tables };
}
