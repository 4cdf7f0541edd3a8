import { describe, expect, it } from 'vitest';
import { writeReference } from '../support/docs/write-reference.js';
import { writeTools } from '../support/docs/write-tools.js';

// `npm run write -- reference` writes it again.
describe('What is written from the verbs', () => {
  it('is the reference', async () => {
    await expect(writeReference()).toMatchFileSnapshot('../../docs/verbs.md');
  });

  it('are the tools of coding agents', async () => {
    await expect(writeTools()).toMatchFileSnapshot('../../docs/mcp.md');
  });
});
