import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { CopyState } from '../../../src/copy/copy-state.js';
import { startTabularium, type Tabularium } from '../../../src/index.js';
import { exported, manyRows } from '../../support/copy/copy-between.js';
import { eachInFolder } from '../../support/programs/child-server.js';
import { cleanEnvironment, type Ending, runProgram, serverFile } from '../../support/programs/run-program.js';

/** Number of kills of each copy. A thorough run uses more. */
const rounds = Number(process.env['TABULARIUM_KILL_ROUNDS'] ?? 3);

const rows = 12_000;

let folder: string;
eachInFolder((made) => {
  folder = made;
});

/** Runs a copy. Kills it once its state has advanced, unless it is to end by itself. */
async function run(words: readonly string[], ends: Record<string, string>, isLast: boolean): Promise<Ending> {
  const state = join(folder, 'state.json');
  const done = () => (existsSync(state) ? readState(state) : 0);
  const before = done();
  const program = runProgram([process.execPath, serverFile, 'copy', ...words, '--state', state, '--transfers', '2'], {
    cwd: folder,
    environment: cleanEnvironment(ends),
  });
  if (!isLast) {
    let hasEnded = false;
    program.ended.then(() => {
      hasEnded = true;
    });
    await vi.waitFor(() => expect(hasEnded || done() > before).toBe(true), { timeout: 300_000, interval: 5 });
    program.kill('SIGKILL');
  }
  return program.ended;
}

/** Returns the number of entities that a state counts. */
function readState(path: string): number {
  const { tables } = JSON.parse(readFileSync(path, 'utf8')) as CopyState;
  return Object.values(tables).reduce(
    (sum, { ranges }) => sum + ranges.reduce((all, { counts }) => all + counts.read, 0),
    0,
  );
}

/** The ends of a copy, the entities that the target has at its end, and those that it should have. */
interface Ends {
  readonly words: readonly string[];
  readonly variables: Record<string, string>;
  readonly found: () => Promise<string> | string;
  readonly expected: string;
}

const servers: Readonly<Record<string, (one: Tabularium, other: Tabularium) => Promise<Ends>>> = {
  'an account to an account': async (one, other) => ({
    words: ['$ONE', '$OTHER'],
    variables: { ONE: one.connectionString, OTHER: other.connectionString },
    found: () => exported(other),
    expected: await exported(one),
  }),
  'an account to a folder': async (one) => ({
    // A run that ends before its kill leaves a folder, which the next one replaces.
    words: ['$ONE', 'backup/', '--mode', 'replace'],
    variables: { ONE: one.connectionString },
    found: () => readFileSync(join(folder, 'backup/Many.ndjson'), 'utf8'),
    expected: await exported(one),
  }),
  'a file to an account, which it replaces': async (one, other) => {
    writeFileSync(join(folder, 'rows.ndjson'), await exported(one));
    return {
      words: ['rows.ndjson', '$OTHER', '--mode', 'replace'],
      variables: { OTHER: other.connectionString },
      found: () => exported(other),
      expected: await exported(one),
    };
  },
  'an account to Cosmos DB': async (one, other) => ({
    words: ['$ONE', '$COSMOS'],
    variables: { ONE: one.connectionString, COSMOS: other.cosmosConnectionString ?? '' },
    found: async () => sorted(await exported(other)),
    expected: sorted(await exported(one)),
  }),
};

it.each(Object.entries(servers))(
  `A copy from %s that is killed ${rounds} times neither loses nor repeats an entity`,
  {
    timeout: 600_000 + rounds * 60_000,
  },
  async (_name, endsOf) => {
    await using one = await startTabularium();
    await using other = await startTabularium({ cosmos: true });
    await one.import([manyRows(rows, 700)]);
    const { words, variables, found, expected } = await endsOf(one, other);
    for (let round = 0; round < rounds; round++) await run(words, variables, false);
    const { code, output, errors } = await run(words, variables, true);
    expect({ code, errors: errors.replace(/^.* a second.*\n/gm, '') }).toEqual({ code: 0, errors: '' });
    expect(output).toContain(`Many: ${rows} read`);
    expect(output).toContain(', verified\n');
    expect(await found()).toBe(expected);
  },
);

/** Returns entities without their order and their account. Cosmos DB keeps the order of insertion. */
function sorted(text: string): string {
  return text.split('\n').slice(1).sort().join('\n');
}
