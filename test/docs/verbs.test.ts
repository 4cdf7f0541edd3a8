import { describe, expect, it } from 'vitest';
import { writeReference } from '../support/docs/write-reference.js';

// `npm run write -- reference` writes it again.
describe('What is written from the verbs', () => {
  it('is the reference', async () => {
    await expect(writeReference()).toMatchFileSnapshot('../../docs/verbs.md');
  });
});
