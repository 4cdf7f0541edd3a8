import type { SnapshotSummary } from '../../state/contract.js';
import { counted } from '../lines.js';

/** Returns the line about a snapshot: `base 2026-11-24T10:00:00Z devstoreaccount1 (3 tables)`. */
export function snapshotLine({ name, at, accounts }: SnapshotSummary): string {
  return `${name} ${at} ${accounts.map((one) => `${one.name} (${counted(one.tables, 'table')})`).join(', ')}`;
}
