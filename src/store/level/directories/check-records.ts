import type { AccessPolicy } from '../../../protocol/access/access-policy.js';
import { lowerAscii } from '../../../protocol/names.js';
import type { CorsRule, Metrics, ServiceProperties } from '../../../protocol/service-properties.js';
import type { AccountRecord } from '../../account-services.js';
import type { BranchRecord } from '../../snapshots.js';
import type { Engine } from '../engine/engine.js';
import { clockKey, decodeRecordKey, kindRange, type NamedKind } from '../engine/key-encoding.js';
import { damaged } from '../explain-failure.js';
import type { FrozenAccount, KeptRecord, SnapshotRecord } from '../layers/snapshot-record.js';
import type { Layer, TableRecord } from './table-directory.js';

/** What the records of each kind are, and whether one of them is as this server writes it. `account` and `rest` are from its key. */
const kinds = {
  table: {
    what: (account, name) => `the table ${name} of the account ${account}`,
    is: (record, _, name) => isTable(record, name),
  },
  snapshot: { what: (name) => `the snapshot ${name}`, is: isSnapshot },
  kept: { what: (kind, id) => `the kept state ${kind} ${id}`, is: isKept },
  branch: { what: (account) => `the branch ${account}`, is: isBranch },
  account: { what: (account) => `the account ${account}`, is: isAccount },
  service: { what: (account) => `the settings of the account ${account}`, is: isServiceProperties },
} satisfies Record<NamedKind, RecordKind>;

interface RecordKind {
  what(account: string, rest: string): string;
  is(record: unknown, account: string, rest: string): boolean;
}

/**
 * Reads all records of a kind, with their keys. Entities are not read like this, because the store never parses the whole text of one.
 *
 * Errors: StoreError for the first record that this server cannot have written.
 */
export async function readRecords<T>(
  engine: Engine,
  kind: NamedKind,
  location: string,
): Promise<readonly (readonly [key: string, record: T])[]> {
  const { what, is }: RecordKind = kinds[kind];
  return (await engine.iterator(kindRange(kind)).all()).map(([key, text]) => {
    const record = parse(text);
    const { account, rest } = decodeRecordKey(key);
    if (!is(record, account, rest)) throw damaged(`the record of ${what(account, rest)} cannot be read`, location);
    return [key, record as T];
  });
}

/** Returns the last Timestamp in a store; undefined if it has none. Errors: StoreError if it cannot be read. */
export function readClock(engine: Engine, location: string): string | undefined {
  const last = engine.getSync(clockKey);
  if (last !== undefined && !isInstant(last)) {
    throw damaged('the record of the last Timestamp cannot be read', location);
  }
  return last;
}

/** Checks all records that are not entities. Errors: StoreError, as those who read them. */
export async function checkRecords(engine: Engine, location: string): Promise<void> {
  readClock(engine, location);
  for (const kind of Object.keys(kinds) as NamedKind[]) await readRecords(engine, kind, location);
}

/** An object with the properties of a `T`, of any type. */
type Fields<T> = { readonly [name in keyof T]?: unknown };

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,7})?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** Returns whether a record is a `TableRecord` of the table that its key names. */
function isTable(record: unknown, nameKey: string): boolean {
  if (!isObject<TableRecord>(record)) return false;
  const { name, id, rowsAccount = '' } = record;
  return (
    isTableId(id) &&
    isText(rowsAccount) &&
    isTableContent(record) &&
    (name === nameKey || lowerAscii(String(name)) === nameKey)
  );
}

/** Returns whether a record is a `SnapshotRecord` of the name that its key has. */
function isSnapshot(record: unknown, itsName: string): boolean {
  if (!isObject<SnapshotRecord>(record)) return false;
  const { name, at, accounts } = record;
  return name === itsName && typeof at === 'string' && isInstant(at) && areFrozen(accounts);
}

/** Returns whether a record is a `KeptRecord` of the kind and the id that its key has. */
function isKept(record: unknown, itsKind: string, itsId: string): boolean {
  if (!isObject<KeptRecord>(record)) return false;
  const { kind, id, at, accounts, after = [], note = '' } = record;
  const isNamed = kind === itsKind && id === itsId && isText(note);
  return isNamed && typeof at === 'string' && isInstant(at) && areFrozen(accounts) && areFrozen(after);
}

/** Returns whether a value is a list of `FrozenAccount`. */
function areFrozen(accounts: unknown): boolean {
  return (
    Array.isArray(accounts) &&
    accounts.every(
      (account) =>
        isObject<FrozenAccount>(account) &&
        isText(account.name) &&
        isServiceProperties(account.settings) &&
        Array.isArray(account.tables) &&
        account.tables.every((table) => isObject<TableRecord>(table) && table.layers && isTableContent(table)),
    )
  );
}

/** Returns whether a record is a `BranchRecord` of the account that its key names. */
function isBranch(record: unknown, itsAccount: string): boolean {
  if (!isObject<BranchRecord>(record)) return false;
  const { account, from, key, expires } = record;
  if (account !== itsAccount || typeof expires !== 'number' || !isText(key)) return false;
  return isObject<BranchRecord['from']>(from) && isText(from.account) && isText(from.snapshot ?? '');
}

/** Returns whether a record is an `AccountRecord` of the account that its key names. */
function isAccount(record: unknown, itsAccount: string): boolean {
  if (!isObject<AccountRecord>(record)) return false;
  return record.account === itsAccount && isText(record.service) && typeof record.exactNames === 'boolean';
}

/** Returns whether a record has what a table and a frozen table share. */
function isTableContent({ name, created, order, policies = [], layers = [] }: Fields<TableRecord>): boolean {
  return (
    (order === undefined || order === 'insertion') &&
    isText(name) &&
    typeof created === 'string' &&
    /^[0-9a-f]{16}$/.test(created) &&
    Array.isArray(layers) &&
    layers.every((layer) => isObject<Layer>(layer) && isText(layer.account) && isTableId(layer.id)) &&
    Array.isArray(policies) &&
    policies.every(
      (policy) => isObject<AccessPolicy>(policy) && isText(policy.id) && Object.values(policy).every(isText),
    )
  );
}

/** Returns whether a record has all of `ServiceProperties`. */
function isServiceProperties(record: unknown): boolean {
  if (!isObject<ServiceProperties>(record)) return false;
  const { logging, hourMetrics, minuteMetrics, cors } = record;
  return [logging, hourMetrics, minuteMetrics].every(hasRetention) && Array.isArray(cors) && cors.every(isCorsRule);
}

function hasRetention(setting: unknown): boolean {
  return isObject<Metrics>(setting) && isObject(setting.retention);
}

function isCorsRule(rule: unknown): boolean {
  if (!isObject<CorsRule>(rule) || typeof rule.maxAgeSeconds !== 'number') return false;
  const { methods, origins, allowedHeaders, exposedHeaders } = rule;
  return [methods, origins, allowedHeaders, exposedHeaders].every((list) => Array.isArray(list) && list.every(isText));
}

function isTableId(id: unknown): boolean {
  return typeof id === 'string' && /^[0-9a-z]+$/.test(id);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isObject<T>(value: unknown): value is Fields<T> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
