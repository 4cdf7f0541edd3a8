import { ConfigError, shownValue } from '../config.js';
import type { ConfigFile } from './config-file.js';
import { nearestName } from './nearest-name.js';
import { type OptionName, optionNames, rowOf, type Settings, variableOf } from './option-table.js';
import { ValueFault } from './read-value.js';

/** Where settings may be said. */
export interface OptionSources {
  /** What the command line says; true for a flag without a value. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: NodeJS.ProcessEnv;
  readonly file: ConfigFile | undefined;
}

/** Which kind of source had the last word; the first named comes before the others. */
export type SourceKind = 'flag' | 'variable' | 'file' | 'default';

const kinds: readonly SourceKind[] = ['flag', 'variable', 'file', 'default'];

interface Said {
  readonly kind: SourceKind;
  /** How messages call it. */
  readonly name: string;
  readonly text: string;
}

/** The settings that all sources together mean, and who said them. */
export class ResolvedOptions {
  readonly settings: Settings;
  readonly #said: ReadonlyMap<OptionName, Said | undefined>;

  /** Reads every setting from the first source that says it. Errors: ConfigError naming the source. */
  constructor(sources: OptionSources) {
    const said = optionNames.map((name) => [name, findSaid(name, sources)] as const);
    this.settings = Object.fromEntries(said.map(([name, one]) => [name, readSaid(name, one)])) as unknown as Settings;
    this.#said = new Map(said);
  }

  /** Who said a setting. */
  kindOf(name: OptionName): SourceKind {
    return this.#said.get(name)?.kind ?? 'default';
  }

  /** How messages call what said a setting. */
  sourceOf(name: OptionName): string {
    return this.#said.get(name)?.name ?? name;
  }

  /** Whether one setting was said with more weight than another: a flag weighs more than a variable, and so on. */
  outweighs(name: OptionName, other: OptionName): boolean {
    return kinds.indexOf(this.kindOf(name)) < kinds.indexOf(this.kindOf(other));
  }
}

function findSaid(name: OptionName, { flags, environment, file }: OptionSources): Said | undefined {
  const flag = flags[name];
  if (flag !== undefined) return { kind: 'flag', name: `--${name}`, text: String(flag) };
  for (const variable of variablesOf(name)) {
    const text = environment[variable];
    // Compose files and workflows set empty variables for what they leave out.
    if (text && !isServiceLink(text)) return { kind: 'variable', name: variable, text };
  }
  const text = file?.texts.get(name);
  return file && text !== undefined ? { kind: 'file', name: `${name} in ${file.path}`, text } : undefined;
}

function readSaid(name: OptionName, said: Said | undefined): unknown {
  const { read, fallback } = rowOf(name);
  if (!said) return fallback;
  try {
    return read(said.text);
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    throw new ConfigError(`${said.name} cannot be '${shownValue(said.text)}'. ${error.message}`);
  }
}

/** The variables that say a setting, the weightier first. */
export function variablesOf(name: OptionName): readonly string[] {
  const { azuriteVariable } = rowOf(name);
  return azuriteVariable === undefined ? [variableOf(name)] : [variableOf(name), azuriteVariable];
}

/**
 * Kubernetes and linked containers set `<SERVICE>_PORT=tcp://…` for every service beside them; for one that is called
 * tabularium-table that is a name of ours.
 */
function isServiceLink(text: string): boolean {
  return /^(?:tcp|udp):\/\//.test(text);
}

/** Variables that look like a slip of the pen, with what was probably meant. */
export function misspelledVariables(environment: NodeJS.ProcessEnv): readonly string[] {
  const prefix = variableOf('');
  const known = [...optionNames.map(variableOf), variableOf('config')].map((name) => name.slice(prefix.length));
  return Object.keys(environment).flatMap((name) => {
    const rest = name.slice(prefix.length);
    if (!name.startsWith(prefix) || known.includes(rest)) return [];
    const meant = nearestName(rest, known);
    return meant === undefined ? [] : [`There is no variable ${name}; did you mean ${prefix}${meant}?`];
  });
}
