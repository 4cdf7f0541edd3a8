import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readEntity } from '../../../src/entity/body/read-entity.js';
import type { TransferFormat } from '../../../src/transfer/contract.js';
import { readItems } from '../../../src/transfer/transfer.js';
import { alikeBodies } from '../../support/arbitrary/alike-bodies.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { outcomeOf } from '../../support/bodies/read-outcome.js';

it('reads each row of an NDJSON file as a row alone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(alikeBodies, { minLength: 1, maxLength: 3 }), async (groups) => {
      const rows = groups.flat().map((body) => body.replaceAll('\n', ' '));
      expect(await outcomesIn(rows.join('\n'), 'ndjson')).toEqual(rows.map(outcomeAlone));
    }),
    { numRuns: runs(1000) },
  );
});

it('reads each row of a JSON file as a row alone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(alikeBodies, { minLength: 1, maxLength: 3 }), async (groups) => {
      const rows = ['{}', ...groups.flat().filter(isJson)];
      expect(await outcomesIn(`[${rows.join()}]`, 'json')).toEqual(rows.map(outcomeAlone));
    }),
    { numRuns: runs(1000) },
  );
});

/** Returns what each row of a file was read as. */
async function outcomesIn(text: string, format: TransferFormat): Promise<readonly unknown[]> {
  const outcomes: unknown[] = [];
  for await (const items of readItems(bytesOf(text), format, {})) {
    for (const item of items) outcomes.push(item.kind === 'entity' ? outcomeOf(item.read) : item);
  }
  return outcomes;
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function outcomeAlone(row: string): unknown {
  return outcomeOf(() => readEntity(row));
}

/** Returns whether a row can be cut out of a document. */
function isJson(row: string): boolean {
  try {
    return typeof JSON.parse(row) === 'object';
  } catch {
    return false;
  }
}
