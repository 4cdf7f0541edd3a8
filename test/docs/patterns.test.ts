import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

// Each example compares its own section with what it measures.
describe('docs/patterns.md', () => {
  it('has one section for each file of test/sdk/patterns', () => {
    const page = readFileSync(join(root, 'docs/patterns.md'), 'utf8');
    const linked = [...page.matchAll(/\(\.\.\/test\/sdk\/patterns\/([\w-]+\.test\.ts)\)/g)].map(([, file]) => file);
    expect(linked.sort(), 'run npm run write -- patterns').toEqual(readdirSync(join(root, 'test/sdk/patterns')).sort());
  });
});
