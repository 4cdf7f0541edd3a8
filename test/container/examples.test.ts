import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const files = [
  'compose.yaml',
  'kubernetes.yaml',
  'github-actions.yaml',
  'devcontainer/.devcontainer/compose.yaml',
  'aspire/AppHost.cs',
  'testcontainers/README.md',
  'testcontainers/java/src/test/java/FruitTest.java',
  'testcontainers/dotnet/FruitTests.cs',
  'testcontainers/node/fruit.test.mjs',
  'testcontainers/python/test_fruit.py',
  'testcontainers/go/fruit_test.go',
  'testcontainers/rust/tests/fruit.rs',
];

describe('The examples for containers', () => {
  it.each(files)('%s uses an image that the Dockerfile builds', (path) => {
    const text = read(`examples/${path}`).replace(/"tabularium"\)?(?:, |\.with_tag\()"full"/, 'tabularium:full');
    expect(text).toContain('tabularium:full');
    const targets = new Set([...text.matchAll(/(?:--target |target: )(\w+)/g)].map(([, target]) => target));
    for (const target of targets) expect(read('Dockerfile')).toContain(` AS ${target}\n`);
  });

  it('name the three services of the development account where an application connects', () => {
    const [, connection = ''] = /AZURE_STORAGE_CONNECTION_STRING: "(.+)"/.exec(read('examples/compose.yaml')) ?? [];
    const parts = Object.fromEntries(
      connection
        .split(';')
        .filter(Boolean)
        .map((part) => /^(\w+)=(.+)$/.exec(part)?.slice(1) ?? []),
    );
    expect(parts).toEqual({
      DefaultEndpointsProtocol: 'http',
      AccountName: 'devstoreaccount1',
      AccountKey: expect.stringMatching(/^Eby8vdM0.+==$/),
      BlobEndpoint: 'http://storage:10000/devstoreaccount1',
      QueueEndpoint: 'http://storage:10001/devstoreaccount1',
      TableEndpoint: 'http://storage:10002/devstoreaccount1',
    });
  });
});
