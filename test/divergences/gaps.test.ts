import { expect, it } from 'vitest';
import { describeService } from '../support/describe-service.js';
import { expectTableError } from '../support/expect-error.js';

describeService('Gaps', ({ client, withTable }) => {
  it.each(['2011-08-18', '2013-08-15', '2015-07-08'])('does not write Atom, even under %s', async (version) => {
    const table = await withTable();

    const answer = await client.get(`/${table}`, { version, accept: 'application/atom+xml' });

    expectTableError(answer, 415, 'AtomFormatNotSupported', { set: 'B1' });
  });

  it('does not read Atom', async () => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, '<entry xmlns="http://www.w3.org/2005/Atom"/>', {
      version: '2013-08-15',
      headers: { 'Content-Type': 'application/atom+xml' },
    });

    expectTableError(answer, 415, 'AtomFormatNotSupported', { set: 'B1' });
  });

  it('returns no user delegation key', async () => {
    const answer = await client.post('/?restype=service&comp=userdelegationkey', '<KeyInfo/>', {
      accept: 'application/xml',
      headers: { 'Content-Type': 'application/xml' },
    });

    expect(answer.status).toBe(501);
    expect(answer.body).toContain('NotImplemented');
  });
});
