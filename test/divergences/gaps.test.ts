import { expect, it } from 'vitest';
import { describeService } from '../support/servers/describe-service.js';

describeService('Gaps', ({ client }) => {
  it('returns no user delegation key', async () => {
    const answer = await client.post('/?restype=service&comp=userdelegationkey', '<KeyInfo/>', {
      accept: 'application/xml',
      headers: { 'Content-Type': 'application/xml' },
    });

    expect(answer.status).toBe(501);
    expect(answer.body).toContain('NotImplemented');
  });
});
