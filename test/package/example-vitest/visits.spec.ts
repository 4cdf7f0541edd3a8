import { beforeAll, describe, expect, inject, it } from 'vitest';
import { Visits } from './visits.js';

it('counts every visit, also when several happen at once', async () => {
  const visits = new Visits(inject('tabularium').connectionString);
  await visits.open();

  const counts = await Promise.all(Array.from({ length: 5 }, () => visits.count('home')));

  expect(counts.sort()).toEqual([1, 2, 3, 4, 5]);
});

describe('The journal', () => {
  const { connectionString, endpoint } = inject('tabularium');
  const visits = new Visits(connectionString);
  beforeAll(() => visits.open());

  it('has the name of each test, and of its file between tests', async () => {
    await visits.count('journal');

    const answer = await fetch(new URL('/_tabularium/requests?limit=3', endpoint));
    const { requests } = (await answer.json()) as { requests: { Mark: string }[] };
    const test = 'visits.spec.ts > The journal > has the name of each test, and of its file between tests';
    expect(requests.map(({ Mark }) => Mark)).toEqual(['visits.spec.ts', test, test]);
  });
});

it('finds the same server in the environment', () => {
  expect(process.env['AZURE_STORAGE_CONNECTION_STRING']).toBe(inject('tabularium').connectionString);
  expect(process.env['TABULARIUM_URL']).toBe(new URL(inject('tabularium').endpoint).origin);
});
