import { expect, inject, it } from 'vitest';
import { Visits } from './visits.js';

it('counts every visit, also when several happen at once', async () => {
  const visits = new Visits(inject('tabularium').connectionString);
  await visits.open();

  const counts = await Promise.all(Array.from({ length: 5 }, () => visits.count('home')));

  expect(counts.sort()).toEqual([1, 2, 3, 4, 5]);
});

it('finds the same server in the environment', () => {
  expect(process.env['AZURE_STORAGE_CONNECTION_STRING']).toBe(inject('tabularium').connectionString);
});
