import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** Packages that are linked from this repository into the test project. None of them is under test. */
const linked = ['@azure/data-tables', '@types/node', 'vitest'];

/** The package as it would be published, installed in an otherwise empty folder. */
export interface InstalledPackage {
  readonly folder: string;
  readonly tarball: string;
  readonly packed: PackedPackage;
  /** Runs a program in the folder. Returns its standard output. Throws its exit code and output if it fails. */
  run(program: string, ...parameters: readonly string[]): Promise<string>;
  dispose(): Promise<void>;
}

/** The report of `npm pack` about a tarball. Units: bytes. */
export interface PackedPackage {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: number }[];
}

/** Packs the package, and installs the tarball with its dependencies in a folder with these projects. */
export async function installPackage(...projects: readonly string[]): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'tabularium-package-'));
  const run = (program: string, ...parameters: readonly string[]) => runIn(folder, program, ...parameters);
  const dispose = () => rm(folder, { recursive: true });
  try {
    const packed = readPacked(await runIn(repository, 'npm', 'pack', '--json', '--pack-destination', folder));
    const tarball = join(folder, packed.filename);
    for (const project of projects)
      await cp(fileURLToPath(new URL(`../../package/${project}`, import.meta.url)), folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    await installFrom(tarball, run);
    for (const name of linked) await link(name, folder);
    return { folder, tarball, packed, run, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Returns the path of a program that is installed in this repository. */
export function ownProgram(name: string): string {
  return join(repository, 'node_modules', '.bin', name);
}

/** How often an installation is tried while the registry cannot be reached. */
const triesMax = 4;

/** What npm prints when the network or the registry has failed. A package that is wrong has other codes. */
const networkFailure =
  /\b(?:ECONN\w+|EAI_AGAIN|ENOTFOUND|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|ERR_STREAM_\w+|EINTEGRITY|E429|E5\d\d)\b/;

/** Installs a tarball with what it depends on, which comes from the registry where it is not in npm's cache. */
async function installFrom(tarball: string, run: InstalledPackage['run']): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball);
      return;
    } catch (failure) {
      if (attempt === triesMax || !networkFailure.test(String(failure))) throw failure;
      await later(attempt * 5000);
    }
  }
}

/** Reads the report of `npm pack`. Newer versions of npm print an object by name, older ones a list. */
function readPacked(json: string): PackedPackage {
  const [packed] = Object.values(JSON.parse(json) as Record<string, PackedPackage>);
  if (!packed) throw new Error(`npm pack said nothing: ${json}`);
  return packed;
}

async function link(name: string, folder: string): Promise<void> {
  const place = join(folder, 'node_modules', name);
  await mkdir(dirname(place), { recursive: true });
  await symlink(join(repository, 'node_modules', name), place, 'dir');
}

async function runIn(cwd: string, program: string, ...parameters: readonly string[]): Promise<string> {
  // Removes the variables that npm and Vitest set for their own child processes.
  const foreign = /^(?:npm_(?!config_(?:registry|cafile|.*proxy))|VITEST|INIT_CWD|NODE_ENV|TEST$|DEV$|PROD$|MODE$)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
  try {
    const { stdout } = await promisify(execFile)(program, parameters, { cwd, env, maxBuffer: 16 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${parameters.join(' ')} failed.\n${stdout}\n${stderr}`, { cause: error });
  }
}
