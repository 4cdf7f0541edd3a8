import { branchPerTest } from 'tabularium/vitest';
import { test as base, beforeAll, describe, expect, inject } from 'vitest';
import { Visits } from './visits.js';

const test = base.extend(branchPerTest());

// The account that the branches begin as.
beforeAll(async () => {
  const visits = new Visits(inject('tabularium').connectionString, 'BranchedVisits');
  await visits.open();
  await visits.count('home');
});

describe.concurrent('Tests that run side by side', () => {
  test.for([1, 2, 3, 4])('have visits of their own: %i', async (count, { branch, expect }) => {
    const visits = new Visits(branch.connectionString, 'BranchedVisits');
    for (let at = 1; at <= count; at++) expect(await visits.count('home')).toBe(1 + at);
  });
});

test('the account itself stays as it is', async () => {
  expect(await new Visits(inject('tabularium').connectionString, 'BranchedVisits').count('home')).toBe(2);
});
