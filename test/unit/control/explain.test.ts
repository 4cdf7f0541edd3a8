import { expect, it } from 'vitest';
import { describeService } from '../../support/servers/describe-service.js';

describeService('A filter that the server explains', ({ service }) => {
  const explain = async (body: unknown) => {
    const answer = await fetch(`${service().url}/_tabularium/explain`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, value: await answer.json() };
  };

  it('has its class in the cloud, and what makes it cheaper', async () => {
    expect(await explain({ filter: "RowKey eq 'r'" })).toEqual({
      status: 200,
      value: {
        isRejected: false,
        class: 'table-scan',
        text: 'Every entity of the table is read.',
        ranges: ['the whole table'],
        rule: 'table-scan/rowkey-only',
        advice:
          'The RowKey is given without the PartitionKey, so the whole table is read. Keep the PartitionKey where the RowKey comes from, or keep an index in other partitions.',
      },
    });
  });

  it.each(['PartitionKey eq 5', "PartitionKey eq 'p' and RowKey eq 7L"])(
    'with a number as a key says that keys are strings: %s',
    async (filter) => {
      const { value } = await explain({ filter });
      expect(value).toMatchObject({ isRejected: false, class: 'none' });
      expect(value).toHaveProperty('advice', expect.stringMatching(/Keys are strings\. Write the key in quotes/));
    },
  );

  it('that the service rejects has its answer, and the place of the fault', async () => {
    expect(await explain({ filter: "A eq 1 and startswith(B,'x')" })).toEqual({
      status: 200,
      value: {
        isRejected: true,
        status: 501,
        code: 'NotImplemented',
        message: 'The requested operation is not implemented on the specified resource.',
        cause: 'filter-startswith',
        text: 'The service has no function startswith.',
        advice: "Write a range: B ge 'x' and B lt 'y'.",
        fix: "(B ge 'x' and B lt 'y')",
        at: 11,
        length: 17,
      },
    });
  });

  it.each([
    [{}, '\'filter\' is missing, such as "Size gt 1".'],
    [{ filter: 1 }, "'filter' must be a string; got 1."],
    [{ filters: 'A eq 1' }, "There is no 'filters'. Did you mean 'filter'?"],
  ])('is missing in %j', async (body, error) => {
    expect(await explain(body)).toEqual({ status: 400, value: { error } });
  });
});
