import type { Address } from '../../../address/parse-address.js';
import { canonicalResources } from '../../../auth/canonical-resource.js';
import type { Account } from '../../../protocol/access/accounts.js';
import type { Explanation } from '../../../protocol/explanation.js';
import { signatureAgeMsMax } from '../../../protocol/limits.js';
import { readHttpDate } from '../../../protocol/values/date-time.js';
import { shownDuration } from '../../rules/rule.js';
import { type SignedMaterial, type SignedText, writeSignedText } from './signed-text.js';
import { findSigningMistake } from './signing-mistakes.js';

/** A request with a rejected Shared Key signature. */
export interface SharedKeyRequest extends Pick<SignedMaterial, 'query' | 'host' | 'headerNames' | 'header'> {
  readonly method: string;
  readonly address: Address;
  /** Lead of the database's clock over the server's. Unit: milliseconds. Absent: there is no other clock. */
  readonly clockAheadMs?: number | undefined;
}

/** Explains a rejected `Authorization: SharedKey…`. `now` is in milliseconds since 1970. */
export function explainSharedKey(
  authorization: string,
  request: SharedKeyRequest,
  accounts: readonly Account[],
  now: number,
): Explanation {
  const { address, header } = request;
  const { account } = address;
  const [scheme = '', value = ''] = authorization.trim().split(/\s+/);
  const colon = value.indexOf(':');
  const named = value.slice(0, colon);
  if (named !== account) {
    return {
      cause: 'account-differs',
      text: `The request is for the account ${account}, and the Authorization header names ${isAccountName(named) ? named : 'something else'}.`,
      advice: 'Name the account of the URL in the header.',
    };
  }
  const date = header('x-ms-date') ?? header('date');
  const clock = explainDate(date, now, request.clockAheadMs ?? 0);
  if (clock) return clock;
  const isLite = scheme === 'SharedKeyLite';
  const [resource = ''] = canonicalResources(address);
  const at = resource.indexOf('?');
  const right: SignedText = {
    method: isLite ? undefined : request.method,
    contentMd5: isLite ? undefined : (header('content-md5') ?? ''),
    contentType: isLite ? undefined : (header('content-type') ?? ''),
    date,
    resource: at < 0 ? resource : resource.slice(0, at),
    suffix: at < 0 ? '' : resource.slice(at),
    lineEnd: '\n',
    tail: '',
  };
  const material = {
    ...request,
    account,
    path: address.rawPath,
    header: (name: string) => (name === ':method' ? request.method : header(name)),
  };
  const signature = value.slice(colon + 1);
  return (
    findSigningMistake(signature, right, material, accounts) ??
    explainUnknownSignature(scheme, signature, right, material)
  );
}

/** Whether a text can be an account name. Any other text may be a misplaced key. */
function isAccountName(text: string): boolean {
  return /^[a-z0-9-]{1,32}$/.test(text);
}

/** Explains a date that is missing, malformed or too far from the clock; undefined for an accepted one. */
function explainDate(date: string | undefined, now: number, clockAheadMs: number): Explanation | undefined {
  if (date === undefined) {
    return { cause: 'date-missing', text: 'The request has neither x-ms-date nor Date.', advice: 'Send x-ms-date.' };
  }
  const instant = readHttpDate(date);
  if (Number.isNaN(instant)) {
    return {
      cause: 'date-malformed',
      text: `The date '${date}' is not an HTTP date in GMT.`,
      advice: 'Write it as Sun, 22 Nov 2026 10:00:00 GMT.',
    };
  }
  if (Math.abs(instant - now) <= signatureAgeMsMax) return undefined;
  const isServerWrong = Math.abs(instant - now - clockAheadMs) <= signatureAgeMsMax;
  return {
    cause: 'clock',
    text: `The date of the request is ${shownDuration(Math.abs(instant - now))} ${instant < now ? 'before' : 'after'} the clock of the server.`,
    advice: isServerWrong
      ? 'Set the clock of the server: its database agrees with the client.'
      : `Set the clock of the client; ${signatureAgeMsMax / 60_000} minutes are allowed.`,
    details: [
      { name: 'date of the request', value: date, holds: false },
      { name: 'clock of the server', value: new Date(now).toUTCString() },
      ...(clockAheadMs === 0
        ? []
        : [{ name: 'clock of the database', value: new Date(now + clockAheadMs).toUTCString() }]),
    ],
  };
}

/** Size of an HMAC-SHA256. Unit: bytes. Source: auth 1. */
const signatureBytes = 32;

/** Maximum number of likely causes. (Our choice: nobody would read more.) */
const causesMax = 3;

/**
 * Explains a signature that no known mistake reproduces: its form, the string to sign, and the likely causes, the most likely
 * first. The result has only the length of the signature.
 */
function explainUnknownSignature(
  scheme: string,
  signature: string,
  right: SignedText,
  request: SignedMaterial,
): Explanation {
  const bytes = Buffer.from(signature, 'base64').length;
  const isWhole = bytes === signatureBytes && /^[A-Za-z0-9+/]{43}=$/.test(signature);
  return {
    cause: 'signature-differs',
    text: 'The signature does not match, and no common signing mistake explains it.',
    advice: likelyCauses(isWhole, right, request).slice(0, causesMax).join(' '),
    details: [
      { name: 'scheme', value: scheme === 'SharedKey' || scheme === 'SharedKeyLite' ? scheme : 'another' },
      { name: 'account', value: request.account },
      { name: 'decoded signature', value: `${bytes} bytes`, holds: isWhole },
      { name: 'string to sign', value: writeSignedText(right) },
    ],
  };
}

function likelyCauses(isWhole: boolean, right: SignedText, request: SignedMaterial): readonly string[] {
  const { path } = request;
  return [
    ...(isWhole
      ? []
      : [`A signature is the base64 of ${signatureBytes} bytes; this one is truncated or encoded differently.`]),
    ...(isForwarded(request) ? ['A proxy forwarded the request, and may have changed the path or a header.'] : []),
    "The key may be wrong: compare it with the account's.",
    ...(right.contentType ? ['The HTTP library may have changed Content-Type after signing.'] : []),
    ...(/[%'()]/.test(path) ? ['The path may have been re-encoded after signing.'] : []),
    'Compare the string that your client signs with this one.',
  ];
}

function isForwarded({ headerNames }: SignedMaterial): boolean {
  return headerNames.some((name) => /^(?:via|forwarded|x-forwarded-.+|x-original-ur[il]|x-envoy-.+)$/.test(name));
}
