import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stepsOf, traceTo, whyNoTracer } from '../../support/measures/traced-calls.js';
import { eachInFolder, startChild } from '../../support/programs/child-server.js';

let location: string;
eachInFolder((folder) => {
  location = folder;
});

describe.skipIf(whyNoTracer !== '')(`The system calls of one write${whyNoTracer}`, () => {
  it.each([
    ['fsync', ['sync', 'answer']],
    ['os', ['answer']],
  ] as const)('include these with --durability %s: %j', async (durability, steps) => {
    const trace = join(location, 'trace');
    const server = await startChild({ location, flags: ['--durability', durability], tracer: traceTo(trace) });
    const client = server.client();
    const requests = [
      await client.post('/Tables', { TableName: 'Traced' }),
      await client.post('/Traced', { PartitionKey: 'p', RowKey: 'r', A: 1 }),
      await client.merge("/Traced(PartitionKey='p',RowKey='r')", { A: 2 }, { ifMatch: '*' }),
    ];
    expect(requests.map(({ status }) => status)).toEqual([201, 201, 204]);
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });

    for (const line of ['POST /devstoreaccount1/Tables', 'POST /devstoreaccount1/Traced', 'MERGE /devstore']) {
      expect(stepsOf(trace, line), line).toEqual(steps);
    }
  });
});
