import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readAccepted } from '../../src/commands/coach/run-plan.js';
import { divideFindings } from '../../src/insight/coach/budget/accepted.js';
import { Coach } from '../../src/insight/coach/coach.js';
import { nameOf } from '../../src/insight/rules/rule.js';
import { insertOf, observedPage, observedRequest, observedWrite } from '../support/clients/observed-request.js';

const query = (coach: Coach, table: string, filter: string, read = 1) => {
  for (let time = 0; time < 3; time++)
    coach.shapes.observe(observedPage(filter, { table, shape: table + filter, read }));
};

/** Writes to two partitions, as two clusters do of which one is busy. */
const writeCluster = (coach: Coach, table: string) => {
  for (let at = 0; at < 400; at++) {
    const cluster = at % 20 === 0 ? 'another' : 'cluster';
    coach.tables.observe(observedWrite([insertOf(cluster, `grain-${at.toString(36)}x`)], { table }));
  }
};

const grains = Array.from({ length: 10 }, (_, at) => `(RowKey eq 'g${at}' and ActivationId eq 'a${at}')`);

/** What the providers of a framework send, as docs/frameworks.md says it. */
const frameworks: readonly (readonly [folder: string, send: (coach: Coach) => void])[] = [
  [
    'orleans',
    (coach) => {
      const silos = 'OrleansSiloInstances';
      query(coach, silos, "PartitionKey eq 'c' and (RowKey eq '127.0.0.1-11111-1' or RowKey eq 'VersionRow')");
      query(coach, silos, "PartitionKey eq 'c' and Status eq 'Active' and ProxyPort ne '0'");
      query(coach, 'OrleansReminders', "PartitionKey gt 's_0A' and PartitionKey le 's_0B'");
      query(coach, 'GrainDirectory', `PartitionKey eq 'c' and (${grains.join(' or ')})`);
      for (const table of [silos, 'GrainDirectory']) writeCluster(coach, table);
    },
  ],
  [
    'durable-task',
    (coach) => {
      query(coach, 'TestHubNameHistory', "PartitionKey eq 'i' and ExecutionId eq 'e'", 1000);
      query(
        coach,
        'TestHubNameInstances',
        "CreatedTime ge datetime'2026-01-01T00:00:00Z' and RuntimeStatus eq 'Failed'",
        1000,
      );
      query(coach, 'TestHubNameInstances', '', 1000);
      const lease = observedRequest({ table: 'TestHubNamePartitions', status: 412 });
      for (let time = 0; time < 20; time++) coach.habits.writeConditional(lease);
    },
  ],
];

describe('The accepted findings of', () => {
  it.each(frameworks)('%s leave no warning of what its providers send, and each of them matches', (folder, send) => {
    const coach = new Coach();
    send(coach);
    const entries = readAccepted(`examples/${folder}/tabularium.coach.json`);
    const { findings, unused } = divideFindings(coach.findings(0), entries);
    expect(findings.filter(({ severity }) => severity !== 'info').map(nameOf)).toEqual([]);
    expect(unused).toEqual([]);
  });

  it.each(frameworks)('%s are on the page', (folder) => {
    const page = readFileSync('docs/frameworks.md', 'utf8');
    expect(page).toContain(`../examples/${folder}/tabularium.coach.json`);
    for (const { rule, table } of readAccepted(`examples/${folder}/tabularium.coach.json`)) {
      expect(page).toMatch(new RegExp(`\`${table}\`[^\n]*\`${rule}\``));
    }
  });
});
