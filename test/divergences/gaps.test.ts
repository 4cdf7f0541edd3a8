import { expect, it } from 'vitest';
import { entryOf, inAtom, keys } from '../support/answers/atom-tools.js';
import { describeService } from '../support/servers/describe-service.js';

describeService('Gaps', ({ client, withTable }) => {
  it('returns no user delegation key', async () => {
    const answer = await client.post('/?restype=service&comp=userdelegationkey', '<KeyInfo/>', {
      accept: 'application/xml',
      headers: { 'Content-Type': 'application/xml' },
    });

    expect(answer.status).toBe(501);
    expect(answer.body).toContain('NotImplemented');
  });

  it.each(['constructor', 'prototype', '__proto__'])(
    'rejects a property of the name %s in Atom if it has no prefix',
    async (name) => {
      const table = await withTable();
      const namespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices';

      const answer = await client.post(
        `/${table}`,
        entryOf(`${keys}<${name} xmlns="${namespace}">x</${name}>`),
        inAtom,
      );

      expect(answer.status).toBe(400);
      expect(answer.body).toContain('InvalidInput');
    },
  );
});
