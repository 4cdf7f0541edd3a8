import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { notesOf } from '../../src/schema.js';
import { rowOf, type SettingName, settingNames } from '../../src/settings/settings.js';
import { extensionSettings } from '../support/docs/extension-settings.js';

const page = new URL('../../docs/reference.md', import.meta.url);

/** Returns the row of a setting in the table of options. */
function referenceRow(name: SettingName): string {
  const { is, letter, fallback } = rowOf(name);
  const shown =
    fallback === false ? 'off' : fallback === undefined || String(fallback) === '' ? '–' : `\`${fallback}\``;
  return `| ${letter ? `\`-${letter}\`, ` : ''}\`--${name}\` | ${shown} | ${notesOf(is).description} |`;
}

it('docs/reference.md has the options as src/settings declares them', async () => {
  const table = settingNames.filter((name) => !rowOf(name).hasNoFlag).map(referenceRow);
  const text = readFileSync(page, 'utf8').replace(
    /(?<=\| option \| default \| meaning \|\n\| --- \| --- \| --- \|\n)(?:\|.*\n)*/,
    `${table.join('\n')}\n`,
  );
  await expect(text).toMatchFileSnapshot(fileURLToPath(page));
});

it('the manifest of the extension for VS Code has the settings as src/settings declares them', async () => {
  const path = fileURLToPath(new URL('../../src/vscode/package.json', import.meta.url));
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const properties = extensionSettings();
  manifest.contributes.configuration.properties = properties;
  manifest.capabilities.untrustedWorkspaces.restrictedConfigurations = Object.keys(properties);
  await expect(`${JSON.stringify(manifest, null, 2)}\n`).toMatchFileSnapshot(path);
});
