import { toJsonSchema } from '@valibot/to-json-schema';
import { notesOf } from '../../../src/schema.js';
import { rowOf, type SettingName, settingNames, withoutLinks } from '../../../src/settings/settings.js';

/** The settings of the extension that are none of the server. */
const ownProperties = {
  'tabularium.autoStart': {
    type: 'string',
    enum: ['never', 'onOpen', 'onDebug'],
    enumDescriptions: ['By command only.', 'When the folder opens.', 'Before each debug session.'],
    default: 'never',
    markdownDescription: 'When the server starts by itself.',
  },
  'tabularium.startAzuriteBlobsAndQueues': {
    type: 'boolean',
    default: false,
    markdownDescription:
      'Also start blobs and queues of the extension Azurite, if it is installed. Azure Functions needs them.',
  },
  'tabularium.arguments': {
    type: 'array',
    items: { type: 'string' },
    default: [],
    markdownDescription: 'More options of the command `start`, such as `--cosmos`.',
  },
};

/**
 * Settings that an editor does not need: its log channel has the log, a database needs a URL, which is a secret, the extension itself
 * needs the control endpoints and the page, and it knows by itself when the server is ready and when it should end.
 */
const leftOut: ReadonlySet<string> = new Set<SettingName>([
  ...([
    'log',
    'silent',
    'databaseSchema',
    'databaseConnections',
    'admin',
    'noExplorer',
    'ready',
    'endWithStdin',
  ] as const),
]);

/** What the extension says of a setting in place of its description. */
const descriptions: Readonly<Partial<Record<SettingName, string>>> = {
  location:
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the editor's form of a variable.
    'Folder in which the data folder `tabularium-data` is created, absolute or within the open folder (default: a folder of its own in the storage of the extension). `${workspaceFolder}` is the open folder.',
};

/**
 * Returns the properties of `contributes.configuration` in the manifest of the extension: its own settings, then those of the server
 * that may be in a file that others read, and that have an effect.
 */
export function extensionSettings(): Readonly<Record<string, object>> {
  const names = settingNames.filter((name) => {
    const { hasNoFlag, is } = rowOf(name);
    const { isSecret, description = '' } = notesOf(is);
    return !hasNoFlag && !isSecret && !/no effect$/.test(description) && !leftOut.has(name);
  });
  return { ...ownProperties, ...Object.fromEntries(names.map((name) => [`tabularium.${name}`, propertyOf(name)])) };
}

function propertyOf(name: SettingName): object {
  const { is, fallback } = rowOf(name);
  const schema = toJsonSchema(is as never, { target: 'draft-07', errorMode: 'ignore' });
  const { description = '', value = '' } = notesOf(is);
  const words = descriptions[name] ?? withoutLinks(description);
  return {
    ...(bare(schema) as object),
    ...(fallback !== undefined && name !== 'location' && { default: fallback }),
    markdownDescription: `${words.charAt(0).toUpperCase()}${words.slice(1)}.`.replace(/\.\.$/, '.'),
    // A path belongs to a machine, and is not synchronized to others.
    ...(/^(?:file|folder|path|\[path\])$/.test(value) && { scope: 'machine-overridable' }),
  };
}

/** What an editor does not know, or shows in another way. */
const noted: ReadonlySet<string> = new Set(['$schema', 'description', 'value', 'wanted']);

/** Returns a schema without notes, without alternatives that no file can have, and without the pattern of a text that is not blank. */
function bare(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(bare);
  const kept = Object.entries(schema).filter(([key, one]) => !noted.has(key) && !(key === 'pattern' && one === '\\S'));
  const { anyOf, ...rest } = Object.fromEntries(kept.map(([key, one]) => [key, bare(one)]));
  const alternatives = ((anyOf ?? []) as readonly { readonly type?: string }[]).filter(({ type }) => type !== 'object');
  return alternatives.length > 1 ? { ...rest, anyOf: alternatives } : { ...rest, ...alternatives[0] };
}
