import { type AccessPolicy, readPolicies, type SentPolicy } from '../protocol/access/access-policy.js';
import type { StoredPart } from '../store/stored-parts.js';

/** The tables and entities of an export, in the order of `StoreView.read`. */
export type ExportedPart = Extract<StoredPart, { readonly kind: 'table' | 'entities' }>;

/** A table as an export names it. */
export interface TableHeader {
  readonly account?: string;
  readonly name: string;
  readonly policies?: readonly AccessPolicy[];
}

/** Why a line cannot name a table. */
export class TableHeaderFault extends Error {
  override readonly name = 'TableHeaderFault';
}

/** Writes the line that names a table. */
export function writeTableHeader({ account, name, policies = [] }: TableHeader): string {
  return JSON.stringify({
    $table: name,
    ...(account !== undefined && { account }),
    ...(policies.length > 0 && { policies }),
  });
}

/** Returns whether a line names the table of those after it. No property begins with `$`. */
export function isTableHeader(text: string): boolean {
  return /^\s*\{\s*"\$table"\s*:/.test(text);
}

/** Reads the line that names a table. Errors: TableHeaderFault. */
export function readTableHeader(text: string): TableHeader {
  const { $table: name, account, policies } = parse(text);
  if (typeof name !== 'string') throw new TableHeaderFault('The table name is not a string.');
  if (account !== undefined && typeof account !== 'string') {
    throw new TableHeaderFault('The account name is not a string.');
  }
  return {
    name,
    ...(account !== undefined && { account }),
    ...(policies !== undefined && { policies: checkPolicies(policies) }),
  };
}

/** Reads the stored access policies of a table from JSON. Errors: TableHeaderFault. */
export function checkPolicies(value: unknown): readonly AccessPolicy[] {
  const policies = Array.isArray(value) && value.every(isSentPolicy) ? readPolicies(value) : undefined;
  if (policies) return policies;
  throw new TableHeaderFault(
    'The stored access policies are invalid. A table can have up to five, each with a unique ID.',
  );
}

function isSentPolicy(value: unknown): value is SentPolicy {
  return typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');
}

function parse(text: string): { readonly $table?: unknown; readonly account?: unknown; readonly policies?: unknown } {
  try {
    return JSON.parse(text);
  } catch {
    throw new TableHeaderFault('The line names a table, but is not valid JSON.');
  }
}
