const needsEscape = /["\\\u0000-\u001f\u0080-\uffff]/;
const beyondAscii = /[\u0080-\uffff]/g;

/**
 * A string as the service writes it in JSON, quotes included: pure ASCII, every other UTF-16 unit as four lower-case
 * hex digits; only `"`, `\` and control characters are escaped beside them.
 *
 * Source: recordings-facts 0.9.
 */
export function writeJsonString(text: string): string {
  if (!needsEscape.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(beyondAscii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Reads back what `writeJsonString` wrote. */
export function readJsonString(json: string): string {
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}
