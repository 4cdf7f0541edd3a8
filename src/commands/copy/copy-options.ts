import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigError, defaultDatabase, isSchemaName, shownValue } from '../../config.js';
import { databaseUrls } from '../../database-url.js';
import type { LastingPlace } from '../../store/open-store.js';

/** The options of `tabularium copy`, as texts. */
export interface CopyFlags {
  from?: string;
  to?: string;
  fromSchema?: string;
  toSchema?: string;
}

/** Adds the options of `tabularium copy` to a command. */
export function addCopyOptions(command: Command): Command {
  return command
    .option(
      '--from <place>',
      'source: a folder that was a --location, or postgres://user@host:5432/name (TABULARIUM_FROM)',
    )
    .option('--to <place>', 'target, without data: the same (TABULARIUM_TO)')
    .option('--fromSchema <name>', `schema of the source, if it is a database (default ${defaultDatabase.schema})`)
    .option('--toSchema <name>', `schema of the target, if it is a database (default ${defaultDatabase.schema})`)
    .addHelpText(
      'after',
      `
Stop every server that uses one of them before. An interrupted copy starts over when the command is run again.
A password is accepted only in the variables TABULARIUM_FROM and TABULARIUM_TO, in PGPASSWORD and in the file of
PGPASSFILE, because other users can read command lines.`,
    );
}

/** A source and a target that are not the same. */
export interface CopyPlaces {
  readonly from: LastingPlace;
  readonly to: LastingPlace;
}

/** Reads the places from the options of the command and the environment. Errors: ConfigError. */
export function readCopyPlaces(flags: CopyFlags, environment: NodeJS.ProcessEnv): CopyPlaces {
  const from = readPlace('from', flags.from, environment['TABULARIUM_FROM'], flags.fromSchema);
  const to = readPlace('to', flags.to, environment['TABULARIUM_TO'], flags.toSchema);
  if (identityOf(from) === identityOf(to)) throw new ConfigError('--from and --to are the same. Pass two places.');
  return { from, to };
}

function readPlace(
  option: 'from' | 'to',
  flag: string | undefined,
  variable: string | undefined,
  schema: string | undefined,
): LastingPlace {
  const text = flag ?? variable ?? '';
  const name = `--${option}`;
  if (text === '') throw new ConfigError(`${name} is missing. Pass a folder, or postgres://user@host:5432/name.`);
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) {
    if (schema !== undefined) throw new ConfigError(`${name}Schema needs a database in ${name}.`);
    return { engine: 'level', location: text };
  }
  // The text may hold a password, so it is not shown.
  const urls = databaseUrls(text);
  if (urls.length === 0) {
    throw new ConfigError(`${name} is neither a folder nor a database. Write it as postgres://user@host:5432/name.`);
  }
  if (flag !== undefined && urls.some(({ password }) => password !== '')) {
    throw new ConfigError(
      `${name} must not contain a password, because other users can read command lines. ` +
        `Use TABULARIUM_${option.toUpperCase()}, PGPASSWORD or PGPASSFILE.`,
    );
  }
  if (schema !== undefined && !isSchemaName(schema)) {
    throw new ConfigError(
      `${name}Schema cannot be '${shownValue(schema)}'. Use at most 63 letters, digits and underscores.`,
    );
  }
  return { engine: 'postgres', url: text, schema: schema ?? defaultDatabase.schema, connections: 1 };
}

/** Returns a text that is the same for two spellings of one place. A target with data is refused in any case. */
function identityOf(place: LastingPlace): string {
  if (place.engine === 'level') {
    const path = resolve(place.location);
    return existsSync(path) ? realpathSync(path) : path;
  }
  const each = databaseUrls(place.url).map(
    ({ hostname, port, pathname, searchParams }) =>
      `${searchParams.get('host') ?? hostname}:${port === '' ? '5432' : port}${pathname}`,
  );
  return `${each.join()} ${place.schema}`;
}
