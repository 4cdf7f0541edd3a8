import { expect, it } from 'vitest';
import { expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

describeService('The tables of analytics', ({ client, service }) => {
  const name = '$MetricsHourPrimaryTransactionsFile';

  it('exist if they are requested by name', async () => {
    const answer = await client.get(`/Tables('${name}')`);

    expectSuccess(answer, 200);
    expect(answer.body).toBe(`{"odata.metadata":"${service().base}/$metadata#Tables/@Element","TableName":"${name}"}`);
  });

  it('are empty, because this server measures nothing', async () => {
    const answer = await client.get(`/${name}()`);

    expectSuccess(answer, 200);
    expect(answer.rows).toEqual([]);
  });

  it('are not listed', async () => {
    const answer = await client.get('/Tables');

    expect(answer.body).not.toContain('$Metrics');
  });

  it('cannot be created or deleted', async () => {
    expectTableError(await client.post('/Tables', { TableName: name }), 400, 'InvalidResourceName', { set: 'B2' });
    expectTableError(await client.delete(`/Tables('${name}')`), 404, 'ResourceNotFound', { set: 'B2' });
  });

  it('do not exist with other names', async () => {
    expectTableError(await client.get("/Tables('$MetricsHourPrimary')"), 404, 'ResourceNotFound', { set: 'B2' });
  });
});
