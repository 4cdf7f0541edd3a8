import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addServerOptions, readConfig } from '../../src/commands/options/server-options.js';
import { ownSettings, startOf, storageOf } from '../../src/vscode/server/setting-words.js';
import { extensionSettings } from '../support/docs/extension-settings.js';

const folders = { open: '/home/ada/shop', storage: '/editor/storage' };

/** Returns the settings that a server started with these words has. */
function configOf(words: readonly string[]) {
  const command = addServerOptions(new Command().exitOverride());
  command.parse([...words], { from: 'user' });
  return readConfig(command, {});
}

describe('A server of the editor', () => {
  it('keeps its data in the storage of the extension unless a setting says otherwise', () => {
    expect(startOf(new Map(), folders)).toEqual({
      words: ['--location=/editor/storage'],
      folder: '/home/ada/shop',
      location: '/editor/storage',
    });
    expect(startOf(new Map([['location', 'data']]), folders).location).toBe('/home/ada/shop/data');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the editor's form of a variable.
    expect(startOf(new Map([['location', '${workspaceFolder}/../$&']]), folders).words).toEqual([
      '--location=/home/ada/shop/../$&',
    ]);
    expect(startOf(new Map([['location', '']]), folders).location).toBe('/editor/storage');
    expect(startOf(new Map([['location', 'data']]), { ...folders, open: undefined }).location).toBe(
      '/editor/storage/data',
    );
  });

  it('has a folder for the data of each folder, also of those with one name', () => {
    const opened = ['/a/shop', '/b/shop', '/a/shop2', undefined];
    const folders = opened.map((open) => storageOf('/storage', open));
    expect(new Set(folders).size).toBe(4);
    expect(folders[0]).toMatch(/^\/storage\/shop-[0-9a-f]{12}$/);
    expect(storageOf('/storage', '/a/shop')).toBe(folders[0]);
  });

  it('has no location in memory', () => {
    expect(startOf(new Map([['inMemoryPersistence', true]]), folders)).toMatchObject({
      words: ['--inMemoryPersistence'],
      location: undefined,
    });
  });

  it('gets the other options last, so that they win', () => {
    const values = new Map<string, unknown>([
      ['tablePort', 1],
      ['arguments', ['--tablePort=2']],
    ]);
    expect(configOf(startOf(values, folders).words).port).toBe(2);
  });

  it.each(Object.entries(extensionSettings()).map(([key, property]) => [key.replace('tabularium.', ''), property]))(
    'accepts the setting %s',
    (name, property) => {
      if (ownSettings.includes(name as string)) return;
      const { type, minimum, enum: words, anyOf } = property as Readonly<Record<string, unknown>>;
      const value =
        type === 'boolean' ? true : type === 'integer' ? minimum : ((words as readonly string[])?.[0] ?? 'text');
      const values = new Map([[name as string, name === 'allowedHosts' ? ['a.test', '*.b'] : anyOf ? 'text' : value]]);
      // Only rules between settings may reject it, by the name of another one.
      const rules = /needs? |exclude|no such file|must be a key|cannot be (?:read|opened)/;
      try {
        configOf(startOf(values, folders).words);
      } catch (error) {
        expect((error as Error).message).toMatch(rules);
      }
    },
  );

  it('has the settings of the extension apart', () => {
    const keys = Object.keys(extensionSettings()).map((key) => key.replace('tabularium.', ''));
    expect(keys.slice(0, ownSettings.length)).toEqual(ownSettings);
  });
});
