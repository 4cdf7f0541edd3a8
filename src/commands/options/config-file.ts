import { ConfigError, escapeText, shownValue } from '../../config.js';
import { nearestName } from '../../nearest-name.js';
import { readTextFile } from '../../user-files/read-text-file.js';
import { type OptionName, optionNames } from './option-table.js';

/** The settings in a configuration file, as unparsed texts by name. */
export interface ConfigFile {
  readonly path: string;
  readonly texts: ReadonlyMap<OptionName, string>;
}

/** Reads a JSON file of settings: an object with a key for each setting. Errors: ConfigError with path and key. */
export function readConfigFile(path: string): ConfigFile {
  const content = parse(path);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new ConfigError(`${path} does not contain a JSON object. Write settings as {"tablePort": 10002}.`);
  }
  const texts = new Map<OptionName, string>();
  for (const [key, value] of Object.entries(content)) {
    if (!isOptionName(key)) throw new ConfigError(`${path}: there is no setting '${shownValue(key)}'.${suggest(key)}`);
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new ConfigError(`${path}: ${key} must be a string, a number, true or false.`);
    }
    texts.set(key, String(value));
  }
  return { path, texts };
}

function parse(path: string): unknown {
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

function isOptionName(key: string): key is OptionName {
  return (optionNames as readonly string[]).includes(key);
}

function suggest(key: string): string {
  const meant = nearestName(key, optionNames);
  return meant === undefined ? ` The settings are: ${optionNames.join(', ')}.` : ` Did you mean '${meant}'?`;
}
