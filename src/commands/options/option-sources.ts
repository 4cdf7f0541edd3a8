import { delimiter } from 'node:path';
import { ConfigError, shownValue } from '../../config.js';
import { nearestName } from '../../nearest-name.js';
import type { ConfigFile } from './config-file.js';
import { type OptionName, optionNames, rowOf, type Settings, variableOf } from './option-table.js';
import { ValueFault } from './read-value.js';

/** The places that settings are read from. */
export interface OptionSources {
  /** The flags of the command line; true for a flag without a value. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: NodeJS.ProcessEnv;
  readonly file: ConfigFile | undefined;
}

/** The kind of source that a setting was read from, in order of precedence. */
export type SourceKind = 'flag' | 'variable' | 'file' | 'default';

const kinds: readonly SourceKind[] = ['flag', 'variable', 'file', 'default'];

/** The text of a setting, and the source that it comes from. */
interface FoundText {
  readonly kind: SourceKind;
  /** The name of the source in error messages. */
  readonly name: string;
  readonly text: string;
}

/** The settings of a server, with the source of each. */
export class ResolvedOptions {
  readonly settings: Settings;
  readonly #found: ReadonlyMap<OptionName, FoundText | undefined>;

  /** Reads every setting from the first source that contains it. Errors: ConfigError with the name of the source. */
  constructor(sources: OptionSources) {
    const found = optionNames.map((name) => [name, findText(name, sources)] as const);
    this.settings = Object.fromEntries(found.map(([name, one]) => [name, readFound(name, one)])) as unknown as Settings;
    this.#found = new Map(found);
  }

  /** Returns the kind of source that a setting was read from. */
  kindOf(name: OptionName): SourceKind {
    return this.#found.get(name)?.kind ?? 'default';
  }

  /** Returns the name that error messages use for the source of a setting. */
  sourceOf(name: OptionName): string {
    return this.#found.get(name)?.name ?? name;
  }

  /** Returns whether the source of one setting takes precedence over the source of another. */
  takesPrecedence(name: OptionName, other: OptionName): boolean {
    return kinds.indexOf(this.kindOf(name)) < kinds.indexOf(this.kindOf(other));
  }
}

function findText(name: OptionName, { flags, environment, file }: OptionSources): FoundText | undefined {
  const flag = flags[name];
  if (flag !== undefined)
    return { kind: 'flag', name: `--${name}`, text: Array.isArray(flag) ? flag.join(delimiter) : String(flag) };
  for (const variable of variablesOf(name)) {
    const text = environment[variable];
    // Compose files and CI workflows set an empty variable for a value that they leave out.
    if (text && !isServiceLink(text)) return { kind: 'variable', name: variable, text };
  }
  const text = file?.texts.get(name);
  return file && text !== undefined ? { kind: 'file', name: `${name} in ${file.path}`, text } : undefined;
}

function readFound(name: OptionName, found: FoundText | undefined): unknown {
  const { read, fallback, isSecret } = rowOf(name);
  if (!found) return fallback;
  try {
    return read(found.text);
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    if (isSecret) throw new ConfigError(`${found.name} cannot be used. ${error.message}`);
    throw new ConfigError(`${found.name} cannot be '${shownValue(found.text)}'. ${error.message}`);
  }
}

/** Returns the environment variables of a setting, in order of precedence. */
export function variablesOf(name: OptionName): readonly string[] {
  const { azuriteVariable } = rowOf(name);
  return azuriteVariable === undefined ? [variableOf(name)] : [variableOf(name), azuriteVariable];
}

/**
 * Kubernetes and linked containers set `<SERVICE>_PORT=tcp://…` for every neighboring service. For a service that is
 * called tabularium-table, this is the variable of `--tablePort`.
 */
function isServiceLink(text: string): boolean {
  return /^(?:tcp|udp):\/\//.test(text);
}

/** Returns a message for each environment variable that looks like a misspelled setting. */
export function misspelledVariables(environment: NodeJS.ProcessEnv): readonly string[] {
  const prefix = variableOf('');
  const known = [...optionNames.map(variableOf), variableOf('config'), variableOf('url')].map((name) =>
    name.slice(prefix.length),
  );
  return Object.keys(environment).flatMap((name) => {
    const rest = name.slice(prefix.length);
    // Kubernetes sets PORT for a service that is called tabularium.
    if (!name.startsWith(prefix) || known.includes(rest) || rest === 'PORT') return [];
    const meant = nearestName(rest, known);
    return meant === undefined ? [] : [`There is no variable ${name}; did you mean ${prefix}${meant}?`];
  });
}
