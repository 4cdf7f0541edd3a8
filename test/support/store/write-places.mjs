// Writes to a table in the order of insertion until it is killed: `node write-places.mjs <location> <seed>`. It uses the built
// store. Before each write it prints the rows that the table has then, in their order, and after it `done` and the number of
// the write. Each is a line.

import { createClock } from '../../../build/clock/clock.js';
import { cosmosTraits } from '../../../build/dialects/cosmos/traits.js';
import { keyOf } from '../../../build/entity/stored/write-row.js';
import { openStore } from '../../../build/store/open-store.js';

const [location, seed] = process.argv.slice(2);
let state = Number(seed);
const random = (below) => {
  state = (state * 48_271) % 0x7fffffff;
  return state % below;
};
/** Resolves when the line has left this process, so that a kill does not lose it. */
const print = (line) => new Promise((resolve) => process.stdout.write(`${line}\n`, resolve));
const store = await openStore({ engine: 'level', location }, { clock: createClock(), cacheBytes: 0 });
await store.openAccount('account', cosmosTraits);
await store.createTable('account', 'Table');
const table = store.openTable('account', 'Table');
const page = await table.readPage({ ranges: [{}], rowsMax: 1000 });
let rows = page.rows.map((text) => keyOf(text, 'RowKey'));
for (let write = 0; ; write++) {
  const changes = [];
  for (let left = 1 + random(4); left > 0; left--) {
    const rowKey = String(random(30));
    const key = { partitionKey: 'p', rowKey };
    const isThere = rows.includes(rowKey);
    if (isThere && random(2)) {
      changes.push({ kind: 'delete', key, ifMatch: '*' });
      rows = rows.filter((row) => row !== rowKey);
    } else {
      changes.push({ kind: 'replace', key, properties: [], ifMatch: undefined });
      if (!isThere) rows = [...rows, rowKey];
    }
  }
  await print(`${write} ${JSON.stringify(rows)}`);
  await table.commit(changes);
  if (random(10) === 0) await store.snapshots.take('s', ['account']);
  await print(`${write} done`);
}
