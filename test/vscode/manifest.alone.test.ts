import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';

// The editor's API is there only within an editor. Creating the commands calls none of it.
vi.mock('vscode', () => ({}));

const manifest = JSON.parse(readFileSync(new URL('../../src/vscode/package.json', import.meta.url), 'utf8'));
const { commands, menus, viewsWelcome, views } = manifest.contributes;
const declared = commands.map(({ command }: { readonly command: string }) => command);

it('The manifest declares the commands that the extension has, each once', async () => {
  const { serverCommands } = await import('../../src/vscode/commands/server-commands.js');
  const { dataCommands } = await import('../../src/vscode/commands/data-commands.js');
  const names = [
    ...Object.keys(serverCommands({} as never)),
    ...Object.keys(
      dataCommands(() => {
        throw new Error('No command runs here.');
      }),
    ),
  ];
  expect([...declared].sort()).toEqual(names.map((name) => `tabularium.${name}`).sort());
});

it('The menus, the empty lists and the conditions name commands and lists that there are', () => {
  const text = JSON.stringify([menus, viewsWelcome]);
  const named = [...text.matchAll(/(?:"command":"|\(command:)(tabularium\.\w+)/g)].map(([, name]) => name);
  expect(named.filter((name) => !declared.includes(name))).toEqual([]);
  const lists = views.tabularium.map(({ id }: { readonly id: string }) => id);
  const used = [...text.matchAll(/view == (tabularium\.\w+)|"view":"([^"]+)"/g)].map(([, one, other]) => one ?? other);
  expect(used.filter((id) => !lists.includes(id))).toEqual([]);
});

it('The extension runs where processes can run, and is limited in a folder that nobody trusts', () => {
  expect(manifest.extensionKind).toEqual(['workspace']);
  expect(manifest.browser).toBeUndefined();
  const { untrustedWorkspaces } = manifest.capabilities;
  expect(untrustedWorkspaces.supported).toBe('limited');
  expect(untrustedWorkspaces.restrictedConfigurations).toEqual(
    Object.keys(manifest.contributes.configuration.properties),
  );
});
