import * as v from 'valibot';
import { lowerAscii } from '../../../protocol/names.js';
import type { Engine } from '../engine/engine.js';
import { clockKey, decodeRecordKey, kindRange, type NamedKind } from '../engine/key-encoding.js';
import { damaged } from '../explain-failure.js';

const text = v.string();
const texts = v.array(text);
const instant = v.pipe(text, v.check(isInstant));
const tableId = v.pipe(text, v.regex(/^[0-9a-z]+$/));
const layers = v.array(v.object({ account: text, id: tableId }));

/** The fields that a table and a frozen table share. */
const tableContent = {
  name: text,
  created: v.pipe(text, v.regex(/^[0-9a-f]{16}$/)),
  order: v.exactOptional(v.literal('insertion')),
  policies: v.exactOptional(v.array(v.objectWithRest({ id: text }, text))),
};

const kept = v.object({ retention: v.object({}) });
const corsRule = v.object({
  methods: texts,
  origins: texts,
  allowedHeaders: texts,
  exposedHeaders: texts,
  maxAgeSeconds: v.number(),
});
const settings = v.object({ logging: kept, hourMetrics: kept, minuteMetrics: kept, cors: v.array(corsRule) });
const frozenTable = v.object({ ...tableContent, layers });
const accounts = v.array(v.object({ name: text, settings, tables: v.array(frozenTable) }));

/** Per kind of record: its name in messages, and its form. `account` and `rest` come from the key of a record. */
const kinds = {
  table: {
    describe: (account, name) => `the table ${name} of the account ${account}`,
    form: v.object({
      ...tableContent,
      id: tableId,
      rowsAccount: v.exactOptional(text),
      layers: v.exactOptional(layers),
    }),
    isNamed: ({ name }, _, nameKey) => name === nameKey || lowerAscii(String(name)) === nameKey,
  },
  snapshot: {
    describe: (kind, id) => `the snapshot ${kind === 'named' ? '' : `${kind} `}${id}`,
    form: v.object({ kind: text, id: text, at: instant, note: v.exactOptional(text), accounts }),
    isNamed: ({ kind, id }, itsKind, itsId) => kind === itsKind && id === itsId,
  },
  branch: {
    describe: (account) => `the branch ${account}`,
    form: v.object({
      account: text,
      key: text,
      expires: v.number(),
      from: v.object({ account: text, snapshot: v.exactOptional(text) }),
      mark: v.exactOptional(text),
    }),
    isNamed: ({ account }, itsAccount) => account === itsAccount,
  },
  account: {
    describe: (account) => `the account ${account}`,
    form: v.object({ account: text, service: text, exactNames: v.boolean() }),
    isNamed: ({ account }, itsAccount) => account === itsAccount,
  },
  service: { describe: (account) => `the settings of the account ${account}`, form: settings, isNamed: () => true },
} satisfies Record<NamedKind, RecordKind>;

/** The fields of a record that its key repeats. */
interface Fields {
  readonly name?: unknown;
  readonly kind?: unknown;
  readonly id?: unknown;
  readonly account?: unknown;
}

interface RecordKind {
  readonly form: v.GenericSchema<object>;
  describe(account: string, rest: string): string;
  /** Whether a record of this form matches the name in its key. */
  isNamed(record: Fields, account: string, rest: string): boolean;
}

/** Reads all records of a kind, with their keys. Errors: StoreError for the first record that this server cannot have written. */
export async function readRecords<T>(
  engine: Engine,
  kind: NamedKind,
  location: string,
): Promise<readonly (readonly [key: string, record: T])[]> {
  const { describe, form, isNamed }: RecordKind = kinds[kind];
  return (await engine.iterator(kindRange(kind)).all()).map(([key, text]) => {
    const record = parse(text);
    const { account, rest } = decodeRecordKey(key);
    if (!v.is(form, record) || !isNamed(record, account, rest))
      throw damaged(`the record of ${describe(account, rest)} cannot be read`, location, 'opened');
    return [key, record as T];
  });
}

/** Returns the last Timestamp of a store, if any. Errors: StoreError if it cannot be read. */
export function readClock(engine: Engine, location: string): string | undefined {
  const last = engine.getSync(clockKey);
  if (last !== undefined && !isInstant(last)) {
    throw damaged('the record of the last Timestamp cannot be read', location, 'opened');
  }
  return last;
}

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
