import { tableNameLengthMax, tableNameLengthMin } from './limits.js';

/**
 * Returns a text with its letters A to Z in lower case and all other characters unchanged. Use it to compare names,
 * headers, types and keywords of the protocol: `toLowerCase` would turn U+212A KELVIN SIGN into the letter k.
 */
export function lowerAscii(name: string): string {
  return /[^\0-\x7f]/.test(name) ? name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : name.toLowerCase();
}

type TableNameFault = 'length' | 'characters' | 'reserved';

/**
 * Checks the name of a new table in the service's order: length, characters, reserved word. Returns the first fault, or
 * undefined for a valid name.
 *
 * Source: checks-order 4 step 4; data-model 1.1.
 */
export function checkTableName(name: string): TableNameFault | undefined {
  if (name.length < tableNameLengthMin || name.length > tableNameLengthMax) return 'length';
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name)) return 'characters';
  if (lowerAscii(name) === 'tables') return 'reserved';
  return undefined;
}

const analyticsTable =
  /^\$Metrics(?:CapacityBlob|(?:Hour|Minute)(?:Primary|Secondary)Transactions(?:Blob|Table|Queue|File))$/i;

/**
 * Returns whether a name is that of a table of the service's analytics. Every account has these tables and can read
 * them. Lists do not show them, and clients cannot create, change or delete them. Source: operations 8.1.
 */
export function isAnalyticsTable(name: string): boolean {
  return analyticsTable.test(name);
}

const asciiIdentifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
const identifier =
  /^[\p{Lu}\p{Ll}\p{Lt}\p{Lm}\p{Lo}\p{Nl}_][\p{Lu}\p{Ll}\p{Lt}\p{Lm}\p{Lo}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Cf}]*$/u;

/** Returns whether a property may have this name: a C# identifier, which may contain Unicode letters. Source: data-model 3.1. */
export function isPropertyName(name: string): boolean {
  return asciiIdentifier.test(name) || identifier.test(name);
}

/** Characters that neither PartitionKey nor RowKey may contain. Source: data-model 2. */
const forbiddenInKey = /[/\\#?\u0000-\u001f\u007f-\u009f]/;

/** Returns the first character of a key that the service rejects in a write, and its place. */
export function forbiddenKeyCharacter(key: string): { readonly character: string; readonly at: number } | undefined {
  const found = forbiddenInKey.exec(key);
  return found ? { character: found[0], at: found.index } : undefined;
}

/** Returns whether a key contains a character that the service rejects in a write. */
export function hasForbiddenKeyCharacter(key: string): boolean {
  return forbiddenInKey.test(key);
}

/** The three properties that every entity has. Their letter case matters: `timestamp` is a custom property. */
export const systemProperties = ['PartitionKey', 'RowKey', 'Timestamp'] as const;
