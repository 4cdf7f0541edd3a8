import { it } from 'vitest';
import { passThrough } from '../../support/copy/pass-through.js';

it('Data passes through files, a data folder and Cosmos DB without a change', async () => {
  await passThrough(200);
});
