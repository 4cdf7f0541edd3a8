import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the sources. */
export const sourceFolder = fileURLToPath(new URL('../../../src', import.meta.url));

/** One import of a source file. */
export interface Import {
  readonly from: string;
  readonly typesOnly: boolean;
}

/** A source file with its layer and imports. */
export interface SourceFile {
  /** Path within src, with slashes. */
  readonly path: string;
  /** The folder within src; a file directly in src is a layer of its own, and so are `nested`. */
  readonly layer: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/** Layers within the folder of another: an engine of the store, and the factory that chooses the engine; what insight knows without a request. */
const nested = ['store/level', 'store/postgres', 'store/open-store', 'insight/queries', 'insight/rules', 'insight/why'];

/** The source files of the server, without generated ones. */
export const sourceFiles: readonly SourceFile[] = filesOf(/(?<!\.d)\.ts$/).filter(({ layer }) => layer !== 'explorer');

/** The source files of the page for browsers. It is a program of its own, which the server only serves. */
export const explorerFiles: readonly SourceFile[] = filesOf(/\.tsx?$/).filter(({ layer }) => layer === 'explorer');

function filesOf(form: RegExp): SourceFile[] {
  return readdirSync(sourceFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && form.test(entry.name))
    .map((entry) => {
      const path = relative(sourceFolder, join(entry.parentPath, entry.name)).replaceAll('\\', '/');
      const text = readFileSync(join(sourceFolder, path), 'utf8');
      return { path, layer: layerOf(path), text, imports: importsOf(text) };
    });
}

function layerOf(path: string): string {
  const within = nested.find((layer) => path === `${layer}.ts` || path.startsWith(`${layer}/`));
  if (within !== undefined) return within;
  return path.includes('/') ? (path.split('/')[0] ?? '') : basename(path, '.ts');
}

function importsOf(text: string): Import[] {
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'|\bimport\('([^']+)'\)/gm);
  return [...statements].map(([, type, from, loaded]) => ({
    from: from ?? loaded ?? '',
    typesOnly: type !== undefined,
  }));
}

/** Returns the layer of a relative import, or undefined for a package. */
export function importedLayer({ path }: SourceFile, { from }: Import): string | undefined {
  if (!from.startsWith('.')) return undefined;
  return layerOf(join(dirname(path), from).replaceAll('\\', '/').replace(/\.js$/, '.ts'));
}
