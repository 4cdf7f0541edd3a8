import { delimiter } from 'node:path';
import { ConfigError, escapeText } from '../config.js';
import { faultOf, type Schema } from '../schema.js';
import { rowOf, type SettingName } from './settings.js';

/**
 * Parses a setting from the text of a flag, a variable or a file, which `source` names in messages. Lists are separated by commas,
 * and lists of paths as in PATH.
 *
 * Errors: ConfigError.
 */
export function readSetting(name: SettingName, text: string, source: string): unknown {
  const { is } = rowOf(name);
  const value = parse(is, text);
  const fault = faultOf(source, is, value);
  if (fault !== undefined) throw new ConfigError(escapeText(fault));
  return value;
}

/** Returns the value that a text stands for by the type of its schema, or the text, which the check rejects. */
function parse(schema: Schema, text: string): unknown {
  const { type, options = [] } = schema as { readonly type: string; readonly options?: readonly (Schema | string)[] };
  const types = [type, ...options.map((option) => (typeof option === 'string' ? option : option.type))];
  if (types.includes('number')) return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  if (types.includes('array')) return text.split(type === 'array' ? /\s*,\s*/ : delimiter);
  if (types.includes('boolean') && /^(?:true|1|yes|on)$/i.test(text)) return true;
  return types.includes('boolean') && /^(?:false|0|no|off)$/i.test(text) ? false : text;
}
