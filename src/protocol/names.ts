import { tableNameLengthMax, tableNameLengthMin } from './limits.js';

/**
 * Returns a text with its letters A to Z in lower case and every other character as it is. Names, header names, types and
 * words of the protocol compare by this: with `toLowerCase`, U+212A KELVIN SIGN would be the letter k.
 */
export function lowerAscii(name: string): string {
  return /[^\0-\x7f]/.test(name) ? name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : name.toLowerCase();
}

/** What is wrong with the name of a table that is to be created, or that nothing is. */
export type TableNameFault = 'length' | 'characters' | 'reserved';

/**
 * Checks the name of a new table, in the service's order: length, letters, reserved word.
 *
 * Source: checks-order, "Create Table" step 4; data model, "Table names".
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
 * Whether this is a table of the service's own analytics: every account has them and may read them; lists do not show
 * them, and nobody can create, change or delete them. Source: operations 8.1 (a Get Table was recorded).
 */
export function isAnalyticsTable(name: string): boolean {
  return analyticsTable.test(name);
}

const asciiIdentifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
const identifier =
  /^[\p{Lu}\p{Ll}\p{Lt}\p{Lm}\p{Lo}\p{Nl}_][\p{Lu}\p{Ll}\p{Lt}\p{Lm}\p{Lo}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Cf}]*$/u;

/** Whether a property may be named so: a C# identifier, Unicode letters included. Source: data model, "Count and names". */
export function isPropertyName(name: string): boolean {
  return asciiIdentifier.test(name) || identifier.test(name);
}

/** Characters that neither PartitionKey nor RowKey may contain. Source: data model, "Keys". */
const forbiddenInKey = /[/\\#?\u0000-\u001f\u007f-\u009f]/;

/** Whether a key of an entity holds a character that the service refuses on write. */
export function hasForbiddenKeyCharacter(key: string): boolean {
  return forbiddenInKey.test(key);
}

/** The three properties every entity has; their names are exact, `timestamp` is an ordinary property. */
export const systemProperties = ['PartitionKey', 'RowKey', 'Timestamp'] as const;
