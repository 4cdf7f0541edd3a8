/**
 * Returns a text without the value of any `sig`, wherever it is in the text and however often its characters are
 * percent-encoded. Clients that write a URL wrongly still send the true signature, and some keep URLs in their entities.
 * A text that is encoded too often to tell becomes `…`.
 *
 * Source of the name: auth 2.
 */
export function redactSignature(text: string): string {
  const redacted = text.replace(signature, '$1…');
  return hidesSignature(redacted) ? '…' : redacted;
}

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

/** How often a text is decoded. Clients do not encode more often. */
const decodingsMax = 10;

/** Returns whether a text contains a signature when it is decoded completely. */
function hidesSignature(redacted: string): boolean {
  let text = redacted;
  for (let times = 0; times < decodingsMax; times++) {
    const decoded = decodeCodes(text);
    if (decoded === text) return /sig[\s+]*=[^…&?]/i.test(text);
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
