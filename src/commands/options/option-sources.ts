import { delimiter } from 'node:path';
import { ConfigError, escapeText, shownValue } from '../../config.js';
import { didYouMean, nearestName } from '../../nearest-name.js';
import { faultOf, type Schema } from '../../schema.js';
import {
  defaultValues,
  rowOf,
  type SettingName,
  type SettingValues,
  settingNames,
  variableOf,
  variablesOf,
} from '../../settings/settings.js';
import { readTextFile } from '../../user-files/read-text-file.js';

/** The flags of a command line by name; true for a flag without a value. */
export type Flags = Readonly<Record<string, unknown>>;

/** The kind of source that a setting was read from, in order of precedence. */
type SourceKind = 'flag' | 'variable' | 'file' | 'default';

const kinds: readonly SourceKind[] = ['flag', 'variable', 'file', 'default'];

interface SourceText {
  readonly kind: SourceKind;
  readonly name: string;
  readonly text: string;
}

/** The values of all settings, with the source of each. */
export class OptionSources {
  readonly values: SettingValues;
  readonly #sources: ReadonlyMap<SettingName, SourceText>;

  /** Reads each setting from the first source that has it: flags, variables, the file. Errors: ConfigError with the name of the source. */
  constructor(flags: Flags, environment: NodeJS.ProcessEnv) {
    const path = flags['config'] ?? environment[variableOf('config')];
    const file = path ? readConfigFile(String(path)) : new Map<SettingName, SourceText>();
    this.#sources = new Map(
      settingNames.flatMap((name) => {
        const source = fromFlag(name, flags) ?? fromVariable(name, environment) ?? file.get(name);
        return source ? [[name, source]] : [];
      }),
    );
    const read = [...this.#sources].map(([name, source]) => [name, readSetting(name, source.text, source.name)]);
    this.values = { ...defaultValues, ...Object.fromEntries(read) };
  }

  kindOf(name: SettingName): SourceKind {
    return this.#sources.get(name)?.kind ?? 'default';
  }

  /** Returns the name of a setting's source for error messages. */
  sourceOf(name: SettingName): string {
    return this.#sources.get(name)?.name ?? name;
  }

  takesPrecedence(name: SettingName, other: SettingName): boolean {
    return kinds.indexOf(this.kindOf(name)) < kinds.indexOf(this.kindOf(other));
  }
}

function fromFlag(name: SettingName, { [name]: flag }: Flags): SourceText | undefined {
  if (flag === undefined) return undefined;
  return { kind: 'flag', name: `--${name}`, text: Array.isArray(flag) ? flag.join(delimiter) : String(flag) };
}

function fromVariable(name: SettingName, environment: NodeJS.ProcessEnv): SourceText | undefined {
  for (const variable of variablesOf(name)) {
    const text = environment[variable];
    // Compose files and CI workflows leave a variable empty for an omitted value.
    if (text && !isServiceLink(text)) return { kind: 'variable', name: variable, text };
  }
  return undefined;
}

/**
 * Kubernetes and linked containers set `<SERVICE>_PORT=tcp://…` for every neighboring service. For a service named
 * tabularium-table, it is the variable of `--tablePort`.
 */
function isServiceLink(text: string): boolean {
  return /^(?:tcp|udp):\/\//.test(text);
}

/** Reads a JSON file with a key for each setting. Errors: ConfigError with path and key. */
function readConfigFile(path: string): ReadonlyMap<SettingName, SourceText> {
  const content = parseFile(path);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new ConfigError(`${path} does not contain a JSON object. Write settings as {"tablePort": 10002}.`);
  }
  const texts = Object.entries(content).map(([key, value]): readonly [SettingName, SourceText] => {
    const name = settingNames.find((one) => one === key);
    if (name === undefined)
      throw new ConfigError(`${path}: there is no setting '${shownValue(key)}'. ${didYouMean(key, settingNames)}`);
    const texts = isPathList(name) && Array.isArray(value) ? value : [value];
    if (texts.length === 0 || !texts.every((one) => /^(?:string|number|boolean)$/.test(typeof one))) {
      throw new ConfigError(
        `${path}: ${key} must be a string, a number, true or false${isPathList(name) ? ', or a list of paths' : ''}.`,
      );
    }
    return [name, { kind: 'file', name: `${name} in ${path}`, text: texts.join(delimiter) }];
  });
  return new Map(texts);
}

function parseFile(path: string): unknown {
  const text = readTextFile({ path, subject: path, wanted: 'a JSON file of settings' });
  if (text.trim() === '') throw new ConfigError(`${path} is empty. Write settings into it as {"tablePort": 10002}.`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(
      `${path} is not JSON: ${escapeText(error instanceof Error ? error.message : String(error))}.`,
    );
  }
}

/** Returns a message for each variable that looks like a misspelled setting. */
export function misspelledVariables(environment: NodeJS.ProcessEnv): readonly string[] {
  const prefix = variableOf('');
  const known = [...settingNames, 'config', 'url'].map((name) => variableOf(name).slice(prefix.length));
  return Object.keys(environment).flatMap((name) => {
    const rest = name.slice(prefix.length);
    // Kubernetes sets PORT for a service named tabularium.
    if (!name.startsWith(prefix) || known.includes(rest) || rest === 'PORT') return [];
    const meant = nearestName(rest, known);
    return meant === undefined ? [] : [`There is no variable ${name}; did you mean ${prefix}${meant}?`];
  });
}

/**
 * Parses a setting. `source` is the name of its source in messages. Lists are separated by commas, lists of paths as in PATH.
 * Errors: ConfigError.
 */
function readSetting(name: SettingName, text: string, source: string): unknown {
  const { is } = rowOf(name);
  const value = parse(is, text);
  const fault = faultOf(source, is, value);
  if (fault !== undefined) throw new ConfigError(escapeText(fault));
  return value;
}

/** Whether a setting takes several paths: its flag is repeatable, and a file may have a list. */
export function isPathList(name: SettingName): boolean {
  return typesOf(rowOf(name).is).slice(1).includes('array');
}

/** Returns the type of a schema, then those of its alternatives. */
function typesOf(schema: Schema): readonly string[] {
  const { type, options = [] } = schema as { readonly type: string; readonly options?: readonly (Schema | string)[] };
  return [type, ...options.map((option) => (typeof option === 'string' ? option : option.type))];
}

/** Converts a string to the type of the schema; returns other strings unchanged for the check to reject. */
function parse(schema: Schema, text: string): unknown {
  const types = typesOf(schema);
  if (types.includes('number')) return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  if (types.includes('array')) return text.split(types[0] === 'array' ? /\s*,\s*/ : delimiter);
  if (types.includes('boolean') && /^(?:true|1|yes|on)$/i.test(text)) return true;
  return types.includes('boolean') && /^(?:false|0|no|off)$/i.test(text) ? false : text;
}

/** Whether to send traces, and notes for the user if they cannot be sent. */
interface TraceSettings {
  readonly traces: boolean;
  readonly notes: readonly string[];
}

/** Reads the trace settings of OpenTelemetry. Source: OpenTelemetry, OTLP exporter; OpenTelemetry, environment variables. */
export function readTraceSettings(environment: NodeJS.ProcessEnv): TraceSettings {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpointOfTraces,
    OTEL_EXPORTER_OTLP_PROTOCOL: generalProtocol,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocolOfTraces,
    OTEL_SDK_DISABLED: disabled,
    OTEL_TRACES_EXPORTER: exporter,
  } = environment;
  const isWanted = Boolean(endpointOfTraces?.trim() || endpoint?.trim());
  if (!isWanted || disabled?.toLowerCase() === 'true' || exporter === 'none') return { traces: false, notes: [] };
  const protocol = protocolOfTraces || generalProtocol;
  if (protocol !== 'grpc') return { traces: true, notes: [] };
  const note =
    'Traces are not sent: OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and this server sends OTLP over HTTP. Set it to http/json, and ' +
    "OTEL_EXPORTER_OTLP_ENDPOINT to the collector's HTTP port, usually 4318.";
  return { traces: false, notes: [note] };
}
