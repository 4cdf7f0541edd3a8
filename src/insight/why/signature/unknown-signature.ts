import type { Explanation } from '../../../protocol/explanation.js';
import { type SignedMaterial, type SignedText, writeSignedText } from './signed-text.js';

/** Size of an HMAC-SHA256. Unit: bytes. Source: auth 1. */
const signatureBytes = 32;

/** How many likely causes are named. (Our choice: more would not be read.) */
const causesMax = 3;

/**
 * Explains a signature that no known mistake gives: what came, the text that the server signs, and the likely causes, the
 * most likely first. Of the signature, only its length is in the result.
 */
export function explainUnknownSignature(
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

/** Returns whether a proxy has forwarded a request. */
function isForwarded({ headerNames }: SignedMaterial): boolean {
  return headerNames.some((name) => /^(?:via|forwarded|x-forwarded-.+|x-original-ur[il]|x-envoy-.+)$/.test(name));
}
