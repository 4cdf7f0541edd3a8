import { isUnknownAccount, parseAddress } from '../address/parse-address.js';
import { hasSignature, signedVersion } from '../auth/shared-access-signature.js';
import { notInService, TableError } from '../protocol/errors.js';
import { targetBytesMax } from '../protocol/limits.js';
import { isVersion, newestVersion, protocolVersions, servedVersion } from '../protocol/versions.js';
import type { Service } from './service.js';
import type { Addressed, Received } from './stages.js';

/**
 * Checks the length and the characters of the target, that the version which a request names exists, and that a POST or PUT has a
 * length or chunks. Without those, the service rejects it before it reads the address.
 *
 * Errors: InvalidUri, InvalidHeaderValue, MissingContentLengthHeader. Source: operations 3; operations 4.4.
 */
export function checkHead({ dialect }: Service, { method, target, headers }: Received): void {
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
export function findAddress(service: Service, received: Received): Addressed | Promise<Addressed> {
  try {
    return addressOf(service, received);
  } catch (error) {
    // Another server may have made the account.
    if (!service.findAccounts || !isUnknownAccount(error)) throw error;
    return service.findAccounts().then(() => addressOf(service, received));
  }
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
 * Errors: those of `refusalOfComp`; InvalidHeaderValue.
 */
export function checkAddressed({ dialect }: Service, { received, address, namedVersion, speaksXml }: Addressed): void {
  const { requests } = dialect;
  const refusal = speaksXml ? requests.refusalOfComp(address.query.get('comp') ?? '') : undefined;
  if (refusal) throw notInService(refusal, 'comp');
  if (requests.isVersioned && namedVersion !== received.headers['x-ms-version']) checkVersion(namedVersion);
}
