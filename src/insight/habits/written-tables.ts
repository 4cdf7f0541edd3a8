import { lowerAscii } from '../../protocol/names.js';
import { BoundedMap } from '../../remembered.js';
import { type Finding, findingOf } from '../finding.js';
import type { ObservedWrite } from '../observation.js';
import { shownText } from '../queries/shown-text.js';
import type { Severity } from '../rules/rule.js';
import type { CauseName } from '../rules/rules.js';
import { thresholds } from '../rules/thresholds.js';
import type { TypesOf } from '../shapes/find-mismatch.js';
import { countIn } from './event-window.js';
import { isLargeTransaction, type NearLimit, nearLimit } from './near-limit.js';
import { type Note, NotedFindings } from './noted-findings.js';
import { type CountedWrites, countInSecond, type WrittenPartition, WrittenTable } from './written-table.js';

/** How many tables are followed. Ours: a program has some dozens. */
const tablesMax = 128;

/** How the tables are read, by their names in lower case. */
export interface TableReads {
  /** Tables that are scanned, whole or by partition. */
  readonly scanned: ReadonlySet<string>;
  /** Tables that are read by ranges of rows that begin or end at a number. */
  readonly numbered: ReadonlySet<string>;
}

/** Follows what is written to each table, and judges it by the rules for tables and their keys. */
export class WrittenTables {
  readonly #tables = new BoundedMap<WrittenTable>(tablesMax);
  readonly #noted = new NotedFindings();
  #last: { readonly account: string; readonly name: string; readonly table: WrittenTable } | undefined;

  observe(request: ObservedWrite): void {
    const { at, changes, bytes, isTransaction } = request;
    const table = this.#tableOf(request);
    const [first] = changes;
    if (!first) return;
    table.add(request);
    let near: NearLimit | undefined;
    for (const change of changes) near ??= nearLimit(change, bytes);
    const partition = table.partition(first.key.partitionKey);
    partition.writes.add(changes.length, request.requestId);
    const inSecond = countInSecond(partition, request, changes.length);
    if (inSecond >= thresholds.partitionEntitiesWarn) this.#noteHot(request, inSecond, partition);
    if (first.kind === 'delete' && !isTransaction) {
      const { singleDeletes, singleDeletesMs } = thresholds;
      if (countIn(partition.deletes, at, singleDeletesMs) === singleDeletes) {
        this.#note(request, {
          name: 'single-writes/deletes',
          severity: 'warn',
          shape: 'Delete Entity',
          calls: singleDeletes,
        });
      }
    }
    if (near !== undefined) this.#note(request, { ...near, severity: 'warn', calls: 1 });
    else if (isTransaction && isLargeTransaction(bytes)) {
      this.#note(request, {
        name: 'near-limit/transaction',
        severity: 'info',
        shape: 'a transaction near 4 MiB',
        calls: 1,
      });
    }
  }

  /** Returns whether the rows of a table look like a series of values: they are numbered, or times. */
  hasSeries(name: string): boolean {
    return this.#tables
      .values()
      .some((table) => lowerAscii(table.name) === name && (table.numbers.isSeries || table.hasTimeRows));
  }

  /** Returns the types of the properties of a table, as far as writes have shown them. That of Timestamp is always known. */
  typesIn(account: string, name: string): TypesOf {
    const wanted = lowerAscii(name);
    const table = this.#tables.values().find((one) => one.account === account && lowerAscii(one.name) === wanted);
    return (property) => (property === 'Timestamp' ? ['Edm.DateTime'] : (table?.types.of(property) ?? []));
  }

  /** Returns the findings about all tables. */
  findings(reads: TableReads): readonly Finding[] {
    return [...this.#noted.findings(), ...this.#tables.values().flatMap((table) => judgeTable(table, reads))];
  }

  clear(): void {
    this.#tables.clear();
    this.#noted.clear();
    this.#last = undefined;
  }

  #tableOf(request: ObservedWrite): WrittenTable {
    const { account, table: name } = request;
    const last = this.#last;
    if (last?.name === name && last.account === account) return last.table;
    const table = this.#tables.use(`${account}\n${lowerAscii(name)}`, () => new WrittenTable(request));
    this.#last = { account, name: table.name, table };
    return table;
  }

  #noteHot(request: ObservedWrite, inSecond: number, partition: WrittenPartition): void {
    const { partitionEntitiesWarn: warn, partitionEntitiesSerious: serious } = thresholds;
    const isReached = (limit: number) => inSecond >= limit && inSecond - request.changes.length < limit;
    if (!isReached(warn) && !isReached(serious)) return;
    const severity = inSecond >= serious ? 'serious' : 'warn';
    this.#note(request, {
      name: 'hot-partition/one-partition',
      severity,
      shape: 'writes to one partition in a second',
      calls: partition.secondRequests,
    });
    partition.secondRequests = 0;
  }

  #note(request: ObservedWrite, note: Note): void {
    this.#noted.note(note, request);
  }
}

/** The rules that look at all that was written to a table. */
const tableRules: readonly ((table: WrittenTable, reads: TableReads) => Judgement | undefined)[] = [
  function hotPartition({ writes, partitionsSeen, busiest }) {
    if (partitionsSeen === 1) {
      return writes >= thresholds.onePartitionWrites
        ? {
            name: 'hot-partition/one-partition',
            severity: 'info',
            shape: 'writes to a table with one partition',
            counted: busiest,
          }
        : undefined;
    }
    if (writes < thresholds.hotWrites || busiest.entities / writes < thresholds.hotShare) return undefined;
    return {
      name: 'hot-partition/one-partition',
      severity: 'warn',
      shape: 'writes, most of them to one partition',
      counted: busiest,
    };
  },
  function unpadded({ name, numbers, inserts }, { numbered }) {
    const prefix = numbers.unpadded;
    if (prefix === undefined || !numbered.has(lowerAscii(name))) return undefined;
    return {
      name: 'unpadded-keys',
      severity: 'warn',
      shape: shownText(`RowKeys '${prefix}' and a number`),
      counted: inserts,
    };
  },
  function scannedDeletes({ name, singleDeletes }, { scanned }) {
    if (singleDeletes.requests < thresholds.scannedDeletes || !scanned.has(lowerAscii(name))) return undefined;
    return {
      name: 'single-writes/deletes',
      severity: 'info',
      shape: 'deletions of what a scan has found',
      counted: singleDeletes,
    };
  },
];

/** What a rule found in a table. */
interface Judgement {
  readonly name: CauseName;
  readonly severity: Severity;
  readonly shape: string;
  /** The writes that show it. */
  readonly counted: CountedWrites;
}

function judgeTable(table: WrittenTable, reads: TableReads): readonly Finding[] {
  return tableRules.flatMap((judge) => {
    const found = judge(table, reads);
    if (!found) return [];
    const { name: cause, severity, shape, counted } = found;
    const { requests: calls, firstRequest, lastRequest: worstRequest } = counted;
    const { account, name } = table;
    return [
      findingOf(cause, severity, {
        ...{ account, table: name, shape, calls, read: 0, returned: 0, firstRequest, worstRequest, marks: [] },
      }),
    ];
  });
}
