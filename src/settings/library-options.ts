import * as v from 'valibot';
import { anyOf, count, flag, notesOf, type Schema } from '../schema.js';
import { rowOf, type SettingName, settingNames } from './settings.js';

/** An option of the library. */
export interface LibraryOption {
  readonly is: Schema;
  readonly does: string;
  readonly fallback?: unknown;
  /** The corresponding setting; absent for an option that only the library has. */
  readonly setting?: SettingName;
}

const text = v.pipe(v.string(), v.nonEmpty());
const account = v.pipe(
  v.strictObject({ name: v.string(), keys: v.array(v.string()) }),
  v.title('TabulariumAccount'),
  v.metadata({ file: 'library/tabularium' }),
);
const cosmos = v.pipe(
  v.strictObject({
    port: v.optional(count('port', 0, 65_535)),
    accounts: v.optional(v.pipe(v.array(account), v.nonEmpty())),
  }),
  v.title('TabulariumCosmos'),
  v.metadata({ file: 'library/tabularium' }),
);
const certificate = v.pipe(
  v.union([
    v.strictObject({ cert: text, key: text, password: v.optional(v.string()) }),
    v.strictObject({ pfx: text, password: v.optional(v.string()) }),
  ]),
  v.title('TabulariumCertificate'),
  v.metadata({ file: 'library/tabularium' }),
);
const method = v.function();
const logger = v.pipe(
  v.looseObject({ debug: method, info: method, warn: method, error: method, fatal: method }),
  v.title('Logger'),
  v.metadata({ file: 'log/logger', wanted: 'a pino logger' }),
);

/** Options whose values differ from those on the command line, or that only the library has. */
const ownOptions = {
  accounts: {
    is: v.pipe(
      v.array(account),
      v.nonEmpty(),
      v.metadata({ wanted: 'a list of accounts, each as { name, keys: [key] }', isSecret: true }),
    ),
    does: 'accounts to serve. The default is the well-known development account. The first account is the default account',
  },
  cosmos: {
    is: anyOf('', [flag(''), cosmos], { wanted: 'true, false or { port, accounts }', isSecret: true }),
    does: 'also speak as Azure Cosmos DB for Table, on a second port. True takes a free port and the well-known account. SDKs for Go know Cosmos DB only at the port 8902',
  },
  https: {
    is: anyOf('', [flag(''), certificate], {
      wanted: 'true, false, { cert, key } or { pfx, password }, where cert, key and pfx are paths of files',
      isSecret: true,
    }),
    does: 'serve HTTPS, with a certificate of your own or, if true, with a self-signed one',
  },
  oauth: { is: flag(''), does: 'accept bearer tokens without verifying them; needs `https`', fallback: false },
  explorer: { is: flag(''), does: 'whether there is a page for browsers at `/_tabularium/`', fallback: true },
  undo: {
    is: flag(''),
    does: 'keep for ten minutes the data that resets, restores, imports and deletions remove, for `undo`',
    fallback: true,
  },
  logger: { is: logger, does: 'a pino logger for every request and error. Without it, nothing is logged' },
} satisfies Readonly<Partial<Record<string, LibraryOption>>>;

/** The options of the library by name: those of settings, then its own. */
export const libraryOptions: ReadonlyMap<string, LibraryOption> = new Map([
  ...settingNames.flatMap((setting): readonly (readonly [string, LibraryOption])[] => {
    const { is, fallback, library } = rowOf(setting);
    if (!library) return [];
    const { name = setting, does } = library;
    // A description of its own states the default.
    if (does !== undefined) return [[name, { is, does, setting }]];
    return [[name, { is, does: notesOf(is).description ?? '', setting, fallback }]];
  }),
  ...Object.entries(ownOptions),
]);
