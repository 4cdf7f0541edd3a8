import type { Property } from '../../../entity/stored/entity.js';
import { lowerAscii } from '../../../protocol/names.js';
import type { EdmType } from '../../../protocol/values/edm.js';
import { BoundedMap, ownText } from '../../../remembered.js';
import type { Severity } from '../../rules/rule.js';
import { thresholds } from '../../rules/thresholds.js';
import { type Finding, findingOf } from '../finding.js';
import type { ObservedWrite } from '../observation.js';
import type { TypesOf } from '../shapes/query-shapes.js';
import { countIn, type EventWindow, NotedFindings, newWindow } from './noted-findings.js';

/** How many tables are tracked, and partitions per table. Busy ones are used often, and stay. (Our choice.) */
const tablesMax = 128;
const partitionsMax = 64;

/** How many properties per table have known types. (Our choice: nearly all tables have fewer.) */
const propertiesMax = 64;

/** How many first writes to a table are examined for types, enough for a test; after them, one in how many. (Our choice.) */
const examinedFirst = 256;
const examinedOneIn = 64;

interface WrittenPartition {
  entities: number;
  requests: number;
  readonly firstRequest: string;
  lastRequest: string;
  readonly deletes: EventWindow;
}

class WrittenTable {
  /** As spelled in the first request. */
  readonly name: string;
  readonly account: string;
  readonly types = new Map<string, EdmType[]>();
  readonly partitions = new BoundedMap<WrittenPartition>(partitionsMax);
  /** A partition that was dropped from `partitions` counts again. */
  partitionCount = 0;
  /** Includes deletions. */
  writes = 0;

  constructor({ account, table }: ObservedWrite) {
    this.name = table;
    this.account = account;
  }

  /** Counts the changes of a request. Returns their partition. */
  add({ changes, requestId }: ObservedWrite, partitionKey: string): WrittenPartition {
    for (const change of changes) {
      this.writes++;
      if (change.kind === 'delete') continue;
      if (this.writes <= examinedFirst || this.writes % examinedOneIn === 0) this.#addTypes(change.properties);
    }
    const partition = this.partitions.use(partitionKey, () => {
      this.partitionCount++;
      return { entities: 0, requests: 0, firstRequest: requestId, lastRequest: '', deletes: newWindow() };
    });
    partition.entities += changes.length;
    partition.requests++;
    partition.lastRequest = requestId;
    return partition;
  }

  #addTypes(properties: readonly Property[]): void {
    for (const { name, type } of properties) {
      const known = this.types.get(name);
      if (known === undefined) {
        if (this.types.size < propertiesMax) this.types.set(ownText(name), [type]);
      } else if (!known.includes(type)) known.push(type);
    }
  }

  /** Returns a finding if one partition receives most of the writes. */
  judge(): readonly Finding[] {
    const { account, name: table, writes, partitionCount } = this;
    const [busiest] = [...this.partitions.values()].sort((a, b) => b.entities - a.entities);
    if (!busiest) return [];
    const isOnly = partitionCount === 1;
    const isHot = isOnly
      ? writes >= thresholds.onePartitionWrites
      : writes >= thresholds.hotWrites && busiest.entities / writes >= thresholds.hotShare;
    if (!isHot) return [];
    const severity: Severity = isOnly ? 'info' : 'warn';
    const shape = isOnly ? 'writes to a table with one partition' : 'writes, most of them to one partition';
    const { requests: calls, firstRequest, lastRequest: worstRequest } = busiest;
    return [
      findingOf('hot-partition/one-partition', severity, {
        ...{ account, table, shape, calls, read: 0, returned: 0, firstRequest, worstRequest, marks: [] },
      }),
    ];
  }
}

/** Follows the writes to each table. */
export class WrittenTables {
  readonly #tables = new BoundedMap<WrittenTable>(tablesMax);
  readonly #noted = new NotedFindings();
  #last: { readonly account: string; readonly name: string; readonly table: WrittenTable } | undefined;

  /** Counts a successful write. */
  observe(request: ObservedWrite): void {
    const [first] = request.changes;
    if (!first) return;
    const { deletes } = this.#tableOf(request).add(request, first.key.partitionKey);
    if (first.kind !== 'delete' || request.isTransaction) return;
    const { singleDeletes, singleDeletesMs } = thresholds;
    if (countIn(deletes, request.at, singleDeletesMs) !== singleDeletes) return;
    this.#noted.note(
      { name: 'single-writes/deletes', severity: 'warn', shape: 'Delete Entity', calls: singleDeletes },
      request,
    );
  }

  /** Returns the types of a table's properties, as known from writes. The type of Timestamp is always known. */
  typesIn(account: string, name: string): TypesOf {
    const wanted = lowerAscii(name);
    const table = this.#tables.values().find((one) => one.account === account && lowerAscii(one.name) === wanted);
    return (property) => (property === 'Timestamp' ? ['Edm.DateTime'] : (table?.types.get(property) ?? []));
  }

  findings(): readonly Finding[] {
    return [...this.#noted.findings(), ...this.#tables.values().flatMap((table) => table.judge())];
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
}
