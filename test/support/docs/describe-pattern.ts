import type { TableClient } from '@azure/data-tables';
import { describe, expect, it } from 'vitest';
import type { Severity } from '../../../src/insight/rules/rule.js';
import { nameOf } from '../../../src/insight/rules/rule.js';
import type { CauseName } from '../../../src/insight/rules/rules.js';
import { type CuttableTable, ExampleServer } from '../servers/example-server.js';
import { type Cost, keepSection, readExample, type Step, sectionOnPage, writeSection } from './pattern-page.js';

export { points, query, writes } from './pattern-page.js';

/** What the coach has to find: the cause and its severity, such as `table-scan/or-keys warn`. */
export type ExpectedFinding = `${CauseName} ${Severity}`;

/** What an example runs with. */
export interface ExampleTools {
  /** The account of the example. */
  readonly server: ExampleServer;
  /** Creates a table. */
  table(name: string): Promise<TableClient>;
  /** Opens a second way to a table, which can be cut. */
  cuttable(table: TableClient): Promise<CuttableTable>;
  /** Runs a step, and fails if it costs anything else. The page has a row for each step. */
  step<T>(what: string, cost: Cost, run: () => Promise<T>): Promise<T>;
}

/** An example: what it sends, and what it expects of the answers. */
export type Example = (tools: ExampleTools) => Promise<void>;

/** Describes a pattern: the steps of its file, what each costs, and that the coach finds nothing wrong with them but these hints. */
export function describePattern(file: string, run: Example, hints: readonly `${CauseName} info`[] = []): void {
  describeExample(file, hints, run);
}

/** Describes an anti-pattern: the steps of its file, what each costs, and exactly what the coach finds. */
export function describeAntiPattern(file: string, finds: readonly ExpectedFinding[], run: Example): void {
  describeExample(file, finds, run);
}

function describeExample(file: string, finds: readonly ExpectedFinding[], run: Example): void {
  const example = readExample(file);
  const what = finds.length === 0 ? 'nothing' : finds.join(', ');
  describe(`${example.title}:`, () => {
    it(`does what docs/patterns.md says, at that cost, and the coach finds ${what}`, async () => {
      await using server = await ExampleServer.start(example.name);
      const steps: Step[] = [];
      await run({
        server,
        table: (name) => server.createTable(name),
        cuttable: (table) => server.openCuttable(table),
        async step(title, cost, action) {
          const { result, measured } = await server.measure(title, action);
          const { kib: _size, ...others } = measured;
          expect(cost.kib === undefined ? others : measured, title).toEqual(cost);
          steps.push({ title, cost });
          return result;
        },
      });

      const findings = await server.findings();
      expect(findings.map((finding) => `${nameOf(finding)} ${finding.severity}`).sort()).toEqual([...finds].sort());

      const section = writeSection(example, steps, findings);
      keepSection(example, section);
      expect(sectionOnPage(example), 'docs/patterns.md is old: run npm run write -- patterns').toBe(section);
    });
  });
}
