import { usualDateTimeForm } from '../../protocol/values/date-time.js';
import type { EdmType } from '../../protocol/values/edm.js';

/**
 * Canonical JSON by type: such a value is stored as sent, without parsing. Each form is the source of a regular expression without
 * capturing groups. A value of another form may be canonical, too.
 */
export const canonicalForms = {
  'Edm.String': String.raw`"[ !#-[\]-\x7f]*"`,
  'Edm.Boolean': 'true|false',
  'Edm.Int32': String.raw`0|-?[1-9]\d{0,8}`,
  'Edm.Int64': String.raw`"(?:0|-?[1-9]\d{0,17})"`,
  'Edm.DateTime': `"${usualDateTimeForm}"`,
  'Edm.Guid': '"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"',
} as const satisfies Partial<Record<EdmType, string>>;

/** A JSON number. */
export const numberForm = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;

/** A type whose values have a canonical form. */
export type FormedType = keyof typeof canonicalForms;

/** Returns whether values of a type have a canonical form. */
export function isFormedType(type: string): type is FormedType {
  return Object.hasOwn(canonicalForms, type);
}

/** Returns the pattern of a whole value in its canonical form. */
export function canonicalPattern(type: FormedType): RegExp {
  return new RegExp(`^(?:${canonicalForms[type]})$`);
}

/** Returns the size of a value in its canonical form, in the service's formula. Unit: bytes. Source: data-model 4. */
export function canonicalBytes(type: FormedType, json: string): number {
  switch (type) {
    case 'Edm.String':
      // The four bytes of the length, without the two quotes.
      return 2 * json.length;
    case 'Edm.Boolean':
      return 1;
    case 'Edm.Int32':
      return 4;
    case 'Edm.Guid':
      return 16;
    default:
      return 8;
  }
}
