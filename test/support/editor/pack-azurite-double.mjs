import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** Packs an extension with the name and the commands of Azurite's, which are all that ours knows of it. Returns its path. */
export function packAzuriteDouble(place) {
  const folder = join(place, 'azurite');
  const commands = ['azurite.start_blob', 'azurite.start_queue'].map((command) => ({ command, title: command }));
  const manifest = { name: 'azurite', publisher: 'Azurite', version: '0.0.1', license: 'MIT', main: './main.js' };
  const script = `const vscode = require('vscode');
exports.activate = () => {
  for (const name of ${JSON.stringify(commands.map(({ command }) => command))})
    vscode.commands.registerCommand(name, () => void vscode.window.showInformationMessage('Double of ' + name));
};`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ ...manifest, engines: { vscode: '^1.101.0' }, contributes: { commands } }),
  );
  writeFileSync(join(folder, 'main.js'), script);
  writeFileSync(join(folder, 'README.md'), '# A double\n\nFor a test.\n');
  const packer = join(root, 'node_modules/.cache/vscode-packer/node_modules/@vscode/vsce/vsce');
  const vsix = join(place, 'azurite.vsix');
  const words = ['package', '--no-dependencies', '--allow-missing-repository', '--skip-license', '--out', vsix];
  execFileSync(process.execPath, [packer, ...words], { cwd: folder, stdio: 'pipe' });
  return vsix;
}
