import { createHmac } from 'node:crypto';
import type { Query } from '../../../address/query.js';
import type { Resource } from '../../../address/resource.js';
import { isWithinAddresses } from '../../../auth/address-range.js';
import { hasSignature, readSignedRange, readSignedTime } from '../../../auth/shared-access-signature.js';
import {
  accountStringToSign,
  readSignatureFields,
  type SignatureFields,
  signatureFieldNames,
  tableStringToSign,
} from '../../../auth/string-to-sign.js';
import { operationTable } from '../../../operations/operation-table.js';
import type { Account } from '../../../protocol/access/accounts.js';
import type { Right } from '../../../protocol/access/permissions.js';
import type { ExplainedDetail, Explanation } from '../../../protocol/explanation.js';
import { lowerAscii } from '../../../protocol/names.js';
import type { OperationName } from '../../../protocol/operation-names.js';
import { isVersion } from '../../../protocol/versions.js';
import { isWithin, rangeOf } from '../../../query/plan/key-ranges.js';
import { shownDuration } from '../../rules/rule.js';
import { keyAsText, type Mistake, otherAccount } from './signed-text.js';

/** A request with a rejected shared access signature. */
export interface SignatureRequest {
  readonly query: Query;
  readonly account: string;
  readonly scheme: 'http' | 'https';
  readonly caller: string;
  readonly resource: Resource | undefined;
  readonly operation: OperationName | undefined;
}

/** A checked parameter of a signature, with the words for a failure. */
export interface CheckedParameter extends ExplainedDetail {
  readonly fault?: Mistake | undefined;
}

type Check = CheckedParameter;

/**
 * Explains a shared access signature by its parameters, each of which passed or failed. The first failure is the cause. The result
 * omits the value of `sig`. `now` is in milliseconds since 1970. Undefined for a URL without a signature.
 */
export function explainSignature(
  request: SignatureRequest,
  accounts: readonly Account[],
  now: number,
): Explanation | undefined {
  const mistake = findQueryMistake(request.query);
  if (mistake || !hasSignature(request.query)) return mistake;
  const fields = readSignatureFields(request.query);
  const checks: readonly Check[] = [
    checkVersion(fields),
    checkSasSignature(fields, request.account, accounts),
    checkTime('st', fields.st, now),
    checkTime('se', fields.se, now),
    checkProtocol(fields.spr, request.scheme),
    checkCaller(fields.sip, request.caller),
    ...checkService(fields, request),
    ...checkKeys(fields, request),
    checkPermissions(fields, request),
  ].filter((check) => check !== undefined);
  const details = checks.map(({ fault: _, ...detail }) => detail);
  const fault = checks.find((check) => check.holds === false)?.fault;
  return {
    ...(fault ?? {
      cause: 'signature-rejected',
      text:
        fields.si === ''
          ? 'No single parameter of the signature is at fault.'
          : `The stored policy '${fields.si}' may be missing, or repeat a field.`,
      advice: 'Create a new signature, such as with the command sas.',
    }),
    details,
  };
}

function checkVersion({ sv }: SignatureFields): Check {
  return {
    name: 'sv',
    value: sv,
    holds: isVersion(sv),
    fault: {
      cause: 'sas-version',
      text: `The version sv '${sv}' is not a date.`,
      advice: 'Use a version such as 2019-02-02.',
    },
  };
}

function checkTime(name: 'st' | 'se', text: string, now: number): Check | undefined {
  if (text === '') return undefined;
  const instant = readSignedTime(text);
  const away = Math.abs(now - instant);
  if (name === 'st') {
    const fault = {
      cause: 'sas-not-valid-yet',
      text: Number.isNaN(away) ? 'The start st is not a date.' : `The signature is valid in ${shownDuration(away)}.`,
      advice: 'Omit st, or set it back a few minutes to allow for clock skew.',
    };
    return { name, value: text, holds: instant <= now, fault };
  }
  const fault = {
    cause: 'sas-expired',
    text: Number.isNaN(away) ? 'The expiry se is not a date.' : `The signature expired ${shownDuration(away)} ago.`,
    advice: 'Create a new signature, such as with the command sas.',
  };
  return { name, value: text, holds: now < instant, fault };
}

function checkProtocol(spr: string, scheme: 'http' | 'https'): Check | undefined {
  if (spr === '') return undefined;
  const fault = {
    cause: 'sas-protocol',
    text: `The signature allows ${spr}, and the request came over ${scheme}.`,
    advice: 'Use https, or sign with spr=https,http.',
  };
  return { name: 'spr', value: spr, holds: spr === 'https,http' || (spr === 'https' && scheme === 'https'), fault };
}

function checkCaller(sip: string, caller: string): Check | undefined {
  if (sip === '') return undefined;
  const fault = {
    cause: 'sas-caller',
    text: `The signature allows callers from ${sip}, and the request came from ${caller}.`,
    advice: 'Sign a different address range.',
  };
  return { name: 'sip', value: sip, holds: isWithinAddresses(sip, caller), fault };
}

/** Checks the scope of a signature: the service and the resource type for an account, the name for a table. */
function checkService(
  { tn, ss, srt }: SignatureFields,
  { query, resource, operation }: SignatureRequest,
): readonly Check[] {
  if (query.get('comp') === 'acl') {
    const fault = {
      cause: 'sas-access-policies',
      text: 'No shared access signature permits the access policies of a table.',
      advice: 'Sign the request with a key of the account.',
    };
    return [{ name: 'comp', value: 'acl', holds: false, fault }];
  }
  const right = rightOfOperation(operation);
  // The operations in a batch name their tables.
  if (tn !== '' && resource?.kind === 'batch') return [{ name: 'tn', value: tn }];
  if (tn !== '' && right && right.tableSignature === undefined) {
    const fault = {
      cause: 'sas-table-operation',
      text: `The operation ${operation} is not on entities, and the signature of a table permits nothing else.`,
      advice: 'Use an account signature.',
    };
    return [{ name: 'tn', value: tn, holds: false, fault }];
  }
  if (tn !== '') {
    const table = resource && 'table' in resource ? resource.table : undefined;
    const fault = {
      cause: 'sas-table',
      text: `The signature is for the table ${tn}, and the request is for ${table ?? 'something other than a table'}.`,
      advice: 'Sign for this table, or use an account signature.',
    };
    return [{ name: 'tn', value: tn, holds: lowerAscii(tn) === lowerAscii(table ?? ''), fault }];
  }
  const needed = right?.accountSignature?.resourceType;
  const service = {
    cause: 'sas-service',
    text: 'The signature is not for tables.',
    advice: 'Sign with a t in ss.',
  };
  const type = {
    cause: 'sas-resource-type',
    text: `The operation ${operation} needs the resource type ${needed}.`,
    advice: `Sign with ${needed} in srt.`,
  };
  return [
    { name: 'ss', value: ss, holds: ss.includes('t'), fault: service },
    { name: 'srt', value: srt, ...(needed !== undefined && { holds: srt.includes(needed) }), fault: type },
  ];
}

function checkKeys(fields: SignatureFields, { resource }: SignatureRequest): readonly Check[] {
  const { spk, srk, epk, erk } = fields;
  const { from, to } = readSignedRange(fields);
  const key = resource?.kind === 'entity' ? resource.key : undefined;
  const isAfter = !key || isWithin(rangeOf(from, undefined), key.partitionKey, key.rowKey);
  const isBefore = !key || isWithin(rangeOf(undefined, to), key.partitionKey, key.rowKey);
  const checked = (name: string, value: string, holds: boolean, end: string): readonly Check[] =>
    value === '' ? [] : [{ name, value, ...(key && { holds, fault: outsideSignedRange(key, end) }) }];
  return [
    ...checked('spk', spk, isAfter, 'before the start'),
    ...checked('srk', srk, isAfter, 'before the start'),
    ...checked('epk', epk, isBefore, 'after the end'),
    ...checked('erk', erk, isBefore, 'after the end'),
  ];
}

/** Describes an entity outside of the signed key range. `where` is relative to the range. */
export function outsideSignedRange(
  { partitionKey, rowKey }: { readonly partitionKey: string; readonly rowKey: string },
  where: string,
): Mistake {
  return {
    cause: 'sas-key-range',
    text: `The entity ('${partitionKey}', '${rowKey}') is ${where} of the signed key range.`,
    advice: 'Sign a range that contains it.',
  };
}

function checkPermissions({ sp, tn, si }: SignatureFields, { operation }: SignatureRequest): Check | undefined {
  const { accountSignature, tableSignature } = rightOfOperation(operation) ?? {};
  const letters =
    tn === '' ? accountSignature?.permissions : tableSignature === undefined ? undefined : [tableSignature];
  if (letters === undefined || si !== '') return { name: 'sp', value: sp };
  const holds = letters.some((all) => [...all].every((letter) => sp.includes(letter)));
  const fault = {
    cause: 'sas-permission',
    text: `The operation ${operation} needs the permission ${letters.join(' or ')}, and the signature has '${sp}'.`,
    advice: `Sign with ${letters[0]} in sp.`,
  };
  return { name: 'sp', value: sp, holds, fault };
}

function rightOfOperation(name: string | undefined): Right | undefined {
  const row = operationTable.find(({ operation, upsert }) => operation.name === name || upsert?.name === name);
  return row?.upsert?.name === name ? row?.upsert?.right : row?.right;
}

/**
 * Checks whether a shared access signature matches its parameters, and finds the mistake if it does not. The result omits the
 * value of the signature.
 */
function checkSasSignature(fields: SignatureFields, account: string, accounts: readonly Account[]): CheckedParameter {
  const own = accounts.find(({ name }) => name === account)?.keys ?? [];
  const text = fields.tn === '' ? accountStringToSign(fields, account) : tableStringToSign(fields, account);
  const isSigned = (sig: string, key: Buffer, signed = text) =>
    createHmac('sha256', key).update(signed).digest('base64') === sig;
  const matches = (sig: string, signed = text) => own.some((key) => isSigned(sig, Buffer.from(key, 'base64'), signed));
  const holds = matches(fields.sig);
  const at = (fault: NonNullable<CheckedParameter['fault']>): CheckedParameter => ({
    name: 'sig',
    value: '…',
    holds: false,
    fault,
  });
  if (holds) return { name: 'sig', value: '…', holds };
  if (fields.sig.includes('%') && matches(decodeOnce(fields.sig))) return at(encodedTwice);
  if (own.some((key) => isSigned(fields.sig, Buffer.from(key)))) return at(keyAsText);
  const others = accounts.filter(({ name }) => name !== account).flatMap(({ keys }) => keys);
  if (others.some((key) => isSigned(fields.sig, Buffer.from(key, 'base64')))) return at(otherAccount);
  if (matches(fields.sig, text.trimEnd())) return at(lineEndMissing);
  if (fields.tn !== '' && matches(fields.sig, text.replace(`/${lowerAscii(fields.tn)}`, `/${fields.tn}`)))
    return at(tableCase);
  if (fields.tn !== '' && matches(fields.sig, text.replace('/table/', '/'))) return at(serviceMissing);
  return at({
    cause: 'sas-changed',
    text: 'The signature does not match these parameters: one was changed after signing, or the key is wrong.',
    advice: 'Create a new signature, such as with the command sas.',
  });
}

const encodedTwice = {
  cause: 'sas-encoded-twice',
  text: 'The signature was percent-encoded twice.',
  advice: 'Put the query into the URL as it is, without encoding it again.',
};
const lineEndMissing = {
  cause: 'line-end-missing',
  text: 'The account signature was computed without the line feed after the last line.',
  advice: 'End the last line with a line feed, too.',
};
const tableCase = {
  cause: 'table-letter-case',
  text: 'The name of the table was signed in the letter case of tn.',
  advice: 'Sign the name of the table in lower case.',
};
const serviceMissing = {
  cause: 'service-missing',
  text: 'The resource was signed without /table in front of the account.',
  advice: 'Sign /table/, the account, a slash and the table.',
};

function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Finds a mistake in adding a signature to the URL, so that its fields cannot be read. */
function findQueryMistake(query: Query): Mistake | undefined {
  const names = [...query.names()];
  if (names.some((name) => name.startsWith('?') || /\?(?:sv|sig|se|sp)=/.test(query.get(name) ?? ''))) {
    return {
      cause: 'sas-question-mark',
      text: 'The signature begins with a second question mark.',
      advice: 'Join it to the URL with one question mark, or with & if the URL has a query.',
    };
  }
  if (names.some((name) => name.startsWith('amp;'))) {
    return {
      cause: 'sas-html',
      text: 'The parameters of the signature are separated by &amp;, as in HTML.',
      advice: 'Replace each &amp; with &.',
    };
  }
  const repeated = signatureFieldNames.find((name) => query.isRepeated(name));
  if (repeated !== undefined) {
    return {
      cause: 'sas-twice',
      text: `The URL has the parameter ${repeated} of the signature twice.`,
      advice: 'Append the signature once. The endpoint of the client may have it already.',
    };
  }
  if (names.includes('sv') && (query.get('sig') ?? '') === '') {
    return {
      cause: 'sas-without-sig',
      text: `The shared access signature has ${hasSignature(query) ? 'an empty sig' : 'no sig'}.`,
      advice: 'Copy the whole signature, and quote the URL in a shell: & ends a command there.',
    };
  }
  return undefined;
}
