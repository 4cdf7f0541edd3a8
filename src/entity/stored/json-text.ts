const needsEscape = /["\\\u0000-\u001f\u0080-\uffff]/;
const beyondAscii = /[\u0080-\uffff]+/g;

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Returns a string as the service writes it in JSON, including quotes. The result is pure ASCII: every other UTF-16
 * unit is escaped as four lower-case hex digits. Within ASCII, only `"`, `\` and control characters are escaped.
 *
 * Source: recordings-facts 0.
 */
export function writeJsonString(text: string): string {
  if (!needsEscape.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(beyondAscii, escapeUnits);
}

/** A whole run at once, because a call for each unit costs five times as much. */
function escapeUnits(run: string): string {
  let escaped = '';
  for (let at = 0; at < run.length; at++) {
    const unit = run.charCodeAt(at);
    escaped += `\\u${hexOf[unit >> 8]}${hexOf[unit & 0xff]}`;
  }
  return escaped;
}

/** Returns a string as `writeJsonString` does, without quotes. */
export function escapeForJson(text: string): string {
  return needsEscape.test(text) ? writeJsonString(text).slice(1, -1) : text;
}

/** Decodes a JSON string, including its quotes. */
export function readJsonString(json: string): string {
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}
