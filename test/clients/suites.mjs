// The client suites: what each needs on the machine, how it is prepared, and how it runs.
// Clones of the packages lie in `.clients`, which git ignores.
import { existsSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

const home = resolve('.clients');
const inHome = (...parts) => join(home, ...parts);

/** A virtual environment of Python with exactly the packages of a lock file. */
const environment = (name, lock) => ({
  prepare: [
    ...(existsSync(inHome(name, 'bin', 'python')) ? [] : [['python3', '-m', 'venv', inHome(name)]]),
    [
      inHome(name, 'bin', 'python'),
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--requirement',
      lock,
    ],
  ],
  python: inHome(name, 'bin', 'python'),
});
const pytest = (name) => {
  const { prepare, python } = environment(name, `test/clients/python/requirements-${name}.txt`);
  return {
    needs: ['python3'],
    prepare,
    run: [python, '-m', 'pytest', '--quiet', '-p', 'no:cacheprovider', 'test/clients/python'],
  };
};

/** Whether the packages of a folder's lock file were installed since it changed. */
function hasModules(folder) {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs > statSync(join(folder, 'package-lock.json')).mtimeMs;
}

/** Runs a program of a client as an app and as a reader. */
function asIdentity(client, version, ...command) {
  return [process.execPath, 'test/clients/identity/run.mjs', client, version, ...command];
}

/** The smoke test of a Python package, in an environment of its own. */
const smoke = (name) => {
  const folder = 'test/clients/frameworks-python';
  const { prepare, python } = environment(`framework-${name}`, `${folder}/requirements-${name}.txt`);
  return { needs: ['python3'], prepare, run: [python, `${folder}/${name}_smoke.py`] };
};

/**
 * Suites by name. `needs` are programs that must be on the path, `prepare` commands that fetch and compile, `run` the
 * command of the suite; `folder` is where both run, the root of the project if absent. `trust` names the variable with which
 * the suite's programs trust the certificate from their start.
 */
export const suites = {
  javascript: { needs: [], prepare: [], run: [process.execPath, 'test/clients/javascript/checks.mjs'] },
  python: pytest('python'),
  'python-legacy': pytest('python-legacy'),
  az: pytest('az'),
  go: {
    needs: ['go'],
    folder: 'test/clients/go',
    prepare: [['go', 'vet', './...']],
    run: ['go', 'test', '-count=1', '-skip', '^TestCosmos$', './...'],
  },
  java: {
    needs: ['java', 'mvn'],
    folder: 'test/clients/java',
    prepare: [['mvn', '--quiet', '--batch-mode', 'test-compile']],
    run: ['mvn', '--quiet', '--batch-mode', 'surefire:test'],
  },
  dotnet: {
    needs: ['dotnet'],
    folder: 'test/clients/dotnet',
    prepare: [['dotnet', 'build', 'Clients.slnx', '--nologo', '--verbosity', 'quiet']],
    // One project after the other, because they append to one file of results.
    run: ['dotnet', 'test', 'Clients.slnx', '--no-build', '--nologo', '-m:1'],
    trust: 'SSL_CERT_FILE',
  },
  rust: {
    needs: ['cargo'],
    folder: 'test/clients/rust',
    prepare: [['cargo', 'build', '--quiet', '--locked', '--tests', '--target-dir', inHome('rust')]],
    run: ['cargo', 'test', '--quiet', '--locked', '--target-dir', inHome('rust')],
  },
  // Clients that take other ways to Cosmos DB: they tunnel merges through POST.
  'cosmos-javascript': { needs: [], prepare: [], run: [process.execPath, '--test', 'test/clients/cosmos/smoke.mjs'] },
  'cosmos-python': {
    ...pytest('python'),
    run: [environment('python').python, 'test/clients/cosmos/cosmos_smoke.py'],
  },
  'cosmos-go': {
    needs: ['go'],
    folder: 'test/clients/go',
    prepare: [['go', 'vet', './...']],
    run: ['go', 'test', '-count=1', '-run', '^TestCosmos$', './...'],
  },
  // DefaultAzureCredential, as an app and as a reader, with a server of `tabularium exec`.
  'identity-javascript': {
    needs: ['npm'],
    prepare: hasModules('test/clients/identity/javascript')
      ? []
      : [['npm', 'ci', '--prefix', 'test/clients/identity/javascript', '--no-audit', '--no-fund', '--silent']],
    run: asIdentity('@azure/identity', '4.13.1', process.execPath, 'test/clients/identity/javascript/program.mjs'),
  },
  'identity-python': {
    needs: ['python3'],
    prepare: environment('identity-python', 'test/clients/identity/python/requirements-identity.txt').prepare,
    run: asIdentity(
      'azure-identity',
      '1.25.1',
      inHome('identity-python', 'bin', 'python'),
      'test/clients/identity/python/program.py',
    ),
  },
  'identity-go': {
    needs: ['go'],
    prepare: [['go', 'build', '-C', 'test/clients/identity/go', '-o', inHome('identity-go'), '.']],
    run: asIdentity('azidentity', '1.13.1', inHome('identity-go')),
  },
  'identity-java': {
    needs: ['java', 'mvn'],
    prepare: [
      [
        ...['mvn', '--quiet', '--batch-mode', '--file', 'test/clients/identity/java/pom.xml'],
        ...['compile', 'dependency:copy-dependencies'],
      ],
    ],
    run: asIdentity(
      'azure-identity for Java',
      '1.18.1',
      'java',
      '-cp',
      ['classes', 'dependency/*'].map((part) => `test/clients/identity/java/target/${part}`).join(delimiter),
      'Program',
    ),
  },
  'identity-rust': {
    needs: ['cargo'],
    prepare: [
      [
        ...['cargo', 'build', '--quiet', '--locked', '--manifest-path', 'test/clients/identity/rust/Cargo.toml'],
        ...['--target-dir', inHome('identity-rust')],
      ],
    ],
    run: asIdentity('azure_identity', '0.21.0', inHome('identity-rust', 'debug', 'identity-client')),
  },
  'frameworks-javascript': {
    needs: ['npm'],
    folder: 'test/clients/frameworks-javascript',
    prepare: hasModules('test/clients/frameworks-javascript')
      ? []
      : [['npm', 'ci', '--no-audit', '--no-fund', '--silent', '--ignore-scripts']],
    // The session store keeps a timer, so the runner ends the process itself.
    run: [process.execPath, '--test-reporter=spec', '--test-force-exit', 'smoke.mjs'],
    trust: 'NODE_EXTRA_CA_CERTS',
  },
  'frameworks-flask': smoke('flask'),
  'frameworks-airbyte': smoke('airbyte'),
  // The oldest client that still installs. It speaks only Atom.
  'oldest-python': smoke('azure-storage'),
};

/** Returns the programs that a suite needs and that are not on the path. */
export function missingPrograms({ needs }) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return needs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
}
