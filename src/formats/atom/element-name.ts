import { isNameCharacter } from './name-characters.js';

/** Names that need no encoding: nearly all. */
const plainName = /^(?!.*_x)\w+$/;

/** Matches an escape at the start of a text: four digits, or eight for a character beyond U+FFFF. */
const escapeForm = /^_x((?:[0-9A-F]{4}){1,2})_/;

/** The length of the longest escape. */
const escapeLengthMax = 11;

/**
 * Returns the name of a property as the name of an XML element. A character that the element cannot have becomes
 * `_x200B_`, as `XmlConvert` of .NET writes it. So does an underscore that would begin such an escape.
 */
export function encodeElementName(name: string): string {
  if (plainName.test(name)) return name;
  const pieces: string[] = [];
  // From the end, because an underscore depends on what is written after it.
  let after = '';
  const characters = [...name];
  for (let at = characters.length - 1; at >= 0; at--) {
    const character = characters[at] ?? '';
    const isFirst = at === 0;
    const isPlain = isNameCharacter(character, isFirst) && readEscape(character + after, isFirst) === undefined;
    const piece = isPlain ? character : writeEscape(character);
    pieces.push(piece);
    after = (piece + after).slice(0, escapeLengthMax);
  }
  return pieces.reverse().join('');
}

/** Returns the name of a property from that of its element. Only escapes that `encodeElementName` writes are read. */
export function decodeElementName(name: string): string {
  if (plainName.test(name)) return name;
  let decoded = '';
  for (let at = 0; at < name.length; ) {
    const escaped = readEscape(name.slice(at, at + escapeLengthMax), at === 0);
    decoded += escaped ?? name[at];
    at += escaped === undefined ? 1 : writeEscape(escaped).length;
  }
  return decoded;
}

function writeEscape(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `_x${code.padStart(code.length > 4 ? 8 : 4, '0')}_`;
}

/** Returns the character whose escape a text begins with, or undefined. `isFirst`: at the start of a name. */
function readEscape(text: string, isFirst: boolean): string | undefined {
  const [whole, digits = ''] = escapeForm.exec(text) ?? [];
  const code = Number.parseInt(digits, 16);
  if (whole === undefined || code > 0x10ffff) return undefined;
  const character = String.fromCodePoint(code);
  const isWritten = character === '_' || !isNameCharacter(character, isFirst);
  return isWritten && writeEscape(character) === whole ? character : undefined;
}
