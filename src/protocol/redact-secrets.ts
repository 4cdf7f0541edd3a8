/**
 * Returns a text without secrets, wherever they are and however often their characters are percent-encoded: the value of any
 * `sig`, credentials after `SharedKey` or `Bearer`, tokens, and Base64 of 32 or 64 bytes, which may be a signature or a key.
 * Clients that write a URL or a header wrongly still send true secrets, and some keep URLs in their entities. A text with too
 * many layers of encoding becomes `…`. A key of another length is not recognized.
 *
 * Source of the names: auth 1, auth 2.
 */
export function redactSecrets(text: string): string {
  if (!suspect.test(text)) return text;
  let redacted = text.replace(signature, '$1…');
  for (const secret of secrets) redacted = redacted.replace(secret, '$1…');
  return hidesSecret(redacted) ? '…' : redacted;
}

/**
 * Fast path: a text with a secret has an equals sign, a percent sign, the name of a scheme, or the start of a token, and most
 * texts have none of them.
 */
const suspect = /[=%]|bearer|sharedkey|eyJ/i;

/** Returns a pattern of an ASCII character, plain or percent-encoded any number of times, in either letter case. */
function encoded(character: string): string {
  const codes = [character, character.toUpperCase()].map((one) => one.charCodeAt(0).toString(16));
  return `(?:${character}|%(?:25)*(?:u00)?(?:${codes.join('|')}))`;
}

/** The name, spaces and the equals sign, then a value that ends at the next parameter or question mark. */
const signature = new RegExp(
  `(${[...'sig'].map(encoded).join('')}(?:\\+|${encoded(' ')})*${encoded('=')})[^&?…][^&?]*`,
  'gi',
);

/** A blank and characters of Base64, each plain or percent-encoded. */
const blank = `(?:[\\s+]|%(?:25)*20)+`;
const digit = `(?:[a-z0-9+/]|%(?:25)*2[bf])`;
const pad = `(?:=|%(?:25)*3d)`;

/** Secrets other than the value of `sig`, each after its visible prefix. All repetitions have a bound, or begin only once in a run. */
const secrets: readonly RegExp[] = [
  new RegExp(`(SharedKey(?:Lite)?${blank}[^:\\s%]{0,64}(?::|%(?:25)*3a))[^\\s&'",;…]+`, 'gi'),
  new RegExp(`(Bearer${blank})[^\\s&'",;%…]+`, 'gi'),
  // A JSON Web Token.
  /((?<=^|[^\w-]|%[\da-f]{2}))eyJ[\w-]{5,}\.[\w-]+\.[\w-]*/gi,
  new RegExp(`((?<=^|[^a-z0-9+]|%[\\da-f]{2}))(?:${digit}{86}${pad}{2}|${digit}{43}${pad})`, 'gi'),
];

/** Maximum number of decodings. Clients do not encode more often. */
const decodingsMax = 10;

/** Returns whether a text contains a secret when it is decoded completely. */
function hidesSecret(redacted: string): boolean {
  let text = redacted;
  for (let times = 0; times < decodingsMax; times++) {
    const decoded = decodeCodes(text);
    if (decoded === text) return /sig[\s+]*=[^…&?]/i.test(text) || secrets.some((secret) => text.search(secret) >= 0);
    text = decoded;
  }
  return true;
}

/** Decodes percent-encoded ASCII and leaves the rest. A percent sign that is encoded several times is decoded at once. */
function decodeCodes(text: string): string {
  if (!text.includes('%')) return text;
  return text
    .replace(/%(?:25)+/g, '%')
    .replace(/%(?:u00)?([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
