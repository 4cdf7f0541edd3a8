import { STATUS_CODES } from 'node:http';
import { expect, it } from 'vitest';
import { errorCatalogue } from '../../../src/dialects/storage/error-catalogue.js';
import { statusReasons } from '../../../src/service/batch/write-batch.js';

it('The words of a status are those of HTTP', () => {
  for (const [status, reason] of statusReasons) expect(STATUS_CODES[status]).toBe(reason);
});

it('Every status of an error has words', () => {
  const missing = Object.values(errorCatalogue).filter(({ status }) => !statusReasons.has(status));
  expect(missing).toEqual([]);
});
