import { expect, it } from 'vitest';
import { describeService } from '../support/servers/describe-service.js';

describeService('A call that does not exist', ({ service }) => {
  it.each([
    ['POST', 'snapshots', 405, 'This can only be read; use GET. Did you mean PUT /_tabularium/snapshots/{name}?'],
    ['PUT', 'snapshots', 405, 'This can only be read; use GET. Did you mean PUT /_tabularium/snapshots/{name}?'],
    ['DELETE', 'snapshots', 405, 'This can only be read; use GET. Did you mean DELETE /_tabularium/snapshots/{name}?'],
    ['DELETE', 'faults', 405, 'Use POST or GET. Did you mean DELETE /_tabularium/faults/{id}?'],
    ['GET', 'reset', 405, 'Use POST.'],
    ['GET', 'why/ID', 404, 'There is nothing at /_tabularium/why/ID. Did you mean /_tabularium/why?id=ID?'],
    ['GET', 'request/ID', 404, 'There is nothing at /_tabularium/request/ID. Did you mean /_tabularium/requests/ID?'],
    ['GET', 'snapshot', 404, 'There is nothing at /_tabularium/snapshot. Did you mean /_tabularium/snapshots?'],
    ['GET', 'entirely/other', 404, 'There is nothing at /_tabularium/entirely/other.'],
  ])('%s %s names the nearest one', async (method, path, status, error) => {
    const body = method === 'GET' ? {} : { headers: { 'Content-Type': 'application/json' }, body: '{}' };
    const answer = await fetch(`${service().url}/_tabularium/${path}`, { method, ...body });
    expect([answer.status, await answer.json()]).toMatchObject([status, { error }]);
  });
});
