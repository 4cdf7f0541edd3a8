/** Returns JSON with indents, and with all of its digits; undefined for other texts. */
export function formatJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return indentJson(text);
}

/** Returns JSON with indents, and with all of its digits, even if its end is missing. */
export function indentJson(text: string): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"?|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let depth = 0;
  const line = (step: number) => {
    depth = Math.max(0, depth + step);
    return `\n${'  '.repeat(depth)}`;
  };
  const formatted = tokens.map((token) => {
    if (token === '{' || token === '[') return token + line(1);
    if (token === '}' || token === ']') return line(-1) + token;
    if (token === ',') return token + line(0);
    return token === ':' ? ': ' : token.replace(/^([{[])\s+/, '$1');
  });
  return formatted.join('');
}

/** Bytes on a line of `hexLines`. */
const lineBytes = 8;

/** Returns bytes as lines: the position, the bytes in hexadecimal, and as ASCII. */
export function hexLines(bytes: Uint8Array): string {
  const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += lineBytes) {
    const part = [...bytes.subarray(at, at + lineBytes)];
    const text = part.map((byte) => (byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    const codes = part.map((byte) => hex(byte, 2)).join(' ');
    lines.push(`${hex(at, 4)}  ${codes.padEnd(lineBytes * 3 - 1)}  ${text}`);
  }
  return lines.join('\n');
}

/** Returns the bytes of a text in base64; undefined if it is none. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Returns bytes in base64. */
export function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

const relative = new Intl.RelativeTimeFormat('en');

/** The units of `agoOf`, and from how many of the unit before on each is used. Unit: seconds. */
const agoUnits = [
  ['second', 1, 0],
  ['minute', 60, 90],
  ['hour', 3600, 90 * 60],
  ['day', 86_400, 48 * 3600],
] as const;

/** Returns how far a time is from now, such as `415 days ago` or `in 3 hours`. */
export function agoOf(ms: number, nowMs: number): string {
  const seconds = (ms - nowMs) / 1000;
  const [unit, size] = agoUnits.findLast(([, , from]) => Math.abs(seconds) >= from) ?? agoUnits[0];
  return relative.format(Math.round(seconds / size), unit);
}
