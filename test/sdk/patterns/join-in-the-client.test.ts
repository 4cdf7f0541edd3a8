/**
 * Join in the client
 *
 * Problem: Employees refer to their department by a code, and a page shows the full name. There are few departments and they
 * rarely change, so the program reads all of them once and caches them.
 *
 * | table | PartitionKey | RowKey | what it is |
 * | --- | --- | --- | --- |
 * | `Departments` | `Sales` | `Sales` | one of a few departments |
 * | `Staff` | `Sales` | `000123` | an employee |
 *
 * When not: The small table grows, or readers must see each change immediately.
 *
 * Source: Table design guide, "Join in the client".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describePattern, query } from '../../support/docs/describe-pattern.js';

interface Department {
  readonly title: string;
}

/** Reads the departments when they are first needed, and again when they are older than this. */
class Departments {
  static readonly keptMs = 3_600_000;
  readonly #table: TableClient;
  #read: { readonly at: number; readonly titles: Promise<ReadonlyMap<string, string>> } | undefined;

  constructor(table: TableClient) {
    this.#table = table;
  }

  titles(): Promise<ReadonlyMap<string, string>> {
    if (!this.#read || Date.now() - this.#read.at >= Departments.keptMs) {
      this.#read = { at: Date.now(), titles: this.#readAll() };
    }
    return this.#read.titles;
  }

  async #readAll() {
    const departments = await all(this.#table.listEntities<Department>());
    return new Map(departments.map(({ rowKey = '', title }) => [rowKey, title]));
  }
}

async function listStaff(staff: TableClient, departments: Departments, department: string) {
  const filter = odata`PartitionKey eq ${department}`;
  const titles = await departments.titles();
  const members = await all(staff.listEntities<{ name: string }>({ queryOptions: { filter } }));
  return members.map(({ name }) => `${name}, ${titles.get(department)}`);
}

describePattern(
  import.meta.url,
  async ({ table, step, server }) => {
    const [lookup, staff] = [await table('Departments'), await table('Staff')];
    for (const [code, title] of [
      ['Sales', 'Sales and Service'],
      ['Support', 'Help for Everyone'],
    ] as const) {
      await lookup.createEntity({ partitionKey: code, rowKey: code, title });
      await staff.createEntity({ partitionKey: code, rowKey: '000123', name: 'Jones' });
    }
    const departments = new Departments(lookup);
    const first = { transactions: 2, class: 'partition-scan, table-scan', read: 3, returned: 3 };
    await step('list the staff of a department', first, () => listStaff(staff, departments, 'Sales'));

    const next = query('partition-scan', 1);
    const listed = await step('list the staff of another one', next, () => listStaff(staff, departments, 'Support'));
    expect(listed).toEqual(['Jones, Help for Everyone']);
    server.pass(Departments.keptMs);
    await step('list it again an hour later', first, () => listStaff(staff, departments, 'Support'));
  },
  ['table-scan/unfiltered info'],
);
