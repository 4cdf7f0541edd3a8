// The licenses of the packages whose code is in a bundle.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the text of THIRD-PARTY-NOTICES: each license once, below the packages that have it.
 *
 * @param {string} bundle the subject of the first sentence
 * @param {import('esbuild').Metafile} metafile
 * @param {string} root the folder that the paths of `metafile` start from
 */
export function thirdPartyNotices(bundle, metafile, root) {
  const folders = new Set(
    Object.keys(metafile.inputs).flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
  /** The packages by the text of their license, because many have the same one. */
  const packagesOf = new Map();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const files = readdirSync(join(root, folder)).filter((file) => /^(?:licen[cs]e|notice)(?:[-.]|$)/i.test(file));
    const text = files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim()).join('\n\n');
    packagesOf.set(text, [...(packagesOf.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const parts = [...packagesOf].map(([text, packages]) => `${packages.join('\n')}\n\n${text}`);
  return `${bundle} contains code of these packages.\n\n${parts.join('\n\n----\n\n')}\n`;
}
