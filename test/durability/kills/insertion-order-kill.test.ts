import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { cosmosTraits } from '../../../src/dialects/cosmos/traits.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';
import { planQuery } from '../../../src/query/plan/plan-query.js';
import { randomFrom } from '../../support/arbitrary/random.js';
import { eachInFolder } from '../../support/programs/child-server.js';
import { openAt } from '../../support/programs/data-folder.js';
import { runProgram } from '../../support/programs/run-program.js';
import { account, rowsOf } from '../../support/store/store-changes.js';

/** Number of kills. A thorough run uses more. */
const rounds = Number(process.env['TABULARIUM_KILL_ROUNDS'] ?? 3);
const seed = Number(process.env['TABULARIUM_KILL_SEED'] ?? 20_261_122);
const writer = fileURLToPath(new URL('../../support/store/write-places.mjs', import.meta.url));

let location: string;
eachInFolder((folder) => {
  location = folder;
});

it(`A table whose writer is killed ${rounds} times has its acknowledged rows in the order of their insertion`, {
  timeout: 600_000 + rounds * 10_000,
}, async () => {
  const random = randomFrom(seed);
  for (let round = 0; round < rounds; round++) {
    const program = runProgram([process.execPath, writer, location, String(1 + Math.floor(random() * 1e6))]);
    await program.until(new RegExp(`^${20 + Math.floor(random() * 200)} done$`, 'm'));
    // The kill hits the writer at a random moment.
    for (let turn = 0; turn < random() * 20; turn++) await nextTurn();
    program.kill('SIGKILL');
    const { output, errors } = await program.ended;
    expect(errors).toBe('');
    const lines = output.split('\n').slice(0, -1);
    const states = lines.flatMap((line) =>
      line.endsWith(']') ? [JSON.parse(line.slice(line.indexOf('['))) as string[]] : [],
    );
    const acknowledged = lines.filter((line) => line.endsWith('done')).length;
    const store = await openAt(location);
    await store.openAccount(account, cosmosTraits);
    const rows = await rowsOf(store, 'Table');
    // The last write may have been made, too.
    const expected = states.slice(acknowledged - 1).map((keys) => keys.map((row) => `p/${row}`));
    expect(expected).toContainEqual(rows);
    const { ranges } = planQuery(parseFilter("PartitionKey eq 'p'"), { rowsMax: 1000 });
    expect(await rowsOf(store, 'Table', { ranges })).toEqual(rows);
    expect([...(await rowsOf(store, 'Table', { order: 'key' }))].sort()).toEqual([...rows].sort());
    await store.swept();
    await store.close();
  }
});
