import { text } from 'node:stream/consumers';
import type { Tabularium } from '../../../src/index.js';

/** Returns everything of a server that a call could have changed: its data, snapshots, branches, faults, clock and what can be undone. */
export async function stateOf(server: Tabularium): Promise<object> {
  const { now: _, ...clock } = await server.clock.show();
  return {
    data: await text(await server.export()),
    snapshots: await server.snapshots.list(),
    branches: await server.branches.list(),
    faults: (await server.faults.list()).map(({ id }) => id),
    undoable: await server.undo.list(),
    findings: (await server.coach.show()).findings.map(({ rule }) => rule),
    clock,
  };
}

/** Gives a server something of everything that a call could remove. */
export async function fillServer(server: Tabularium): Promise<void> {
  const rows = [
    { $table: 'Orders' },
    { $table: 'Orders', PartitionKey: 'p', RowKey: 'r', Size: 1 },
    { $table: 'Others' },
  ];
  await server.import(rows.map((row) => `${JSON.stringify(row)}\n`));
  await server.snapshots.create('base');
  await server.branches.create();
  await server.faults.create({ id: 'rule', when: { table: 'None' }, fault: 'ServerBusy', for: '1h' });
  await server.reset({ table: 'Others' });
  // The journal has a request that was rejected.
  await fetch(`${server.url}/devstoreaccount1/Tables`, { headers: { 'x-ms-version': '2020-12-06' } });
}
