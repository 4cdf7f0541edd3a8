import { createHash } from 'node:crypto';
import { basename, isAbsolute, join, resolve } from 'node:path';

/** The settings of the extension alone. All others are settings of the server, with the same names. */
export const ownSettings: readonly string[] = ['autoStart', 'startAzuriteBlobsAndQueues', 'arguments'];

/** The folders of a window. */
export interface WindowFolders {
  /** The first folder that is open; undefined for none. */
  readonly open: string | undefined;
  /** The folder of the extension for the data of the open folder. */
  readonly storage: string;
}

/**
 * Returns the folder for the data of an open folder, within the storage of the extension. The editor's own storage of a workspace is
 * not used: a second window of the same folder gets another one.
 */
export function storageOf(storage: string, open: string | undefined): string {
  if (open === undefined) return join(storage, 'no-folder');
  return join(storage, `${basename(open)}-${createHash('sha256').update(open).digest('hex').slice(0, 12)}`);
}

/** How the server of a window is started. */
export interface WindowStart {
  readonly words: readonly string[];
  /** The folder that relative paths start from. */
  readonly folder: string;
  /** The path of the folder with the data folder; undefined for data elsewhere. */
  readonly location: string | undefined;
}

/**
 * Returns how a server with these settings is started. `${workspaceFolder}` in texts is the open folder. Without a location, the data
 * is in the storage of the window, so that nothing appears in the open folder.
 */
export function startOf(values: ReadonlyMap<string, unknown>, { open, storage }: WindowFolders): WindowStart {
  const folder = open ?? storage;
  const filled = (value: unknown) => String(value).replace(/\$\{workspaceFolder\}/g, () => folder);
  // A text that was emptied in the editor of settings counts as not set.
  const set = [...values].filter(([, value]) => value !== '');
  const { inMemoryPersistence, location = storage, arguments: own = [] } = Object.fromEntries(set);
  const isElsewhere = inMemoryPersistence === true;
  const words = set.flatMap(([name, value]) => {
    if (ownSettings.includes(name) || name === 'location') return [];
    if (typeof value === 'boolean') return value ? [`--${name}`] : [];
    if (name === 'allowedHosts') return [`--${name}=${filled(value)}`];
    return (Array.isArray(value) ? value : [value]).map((one) => `--${name}=${filled(one)}`);
  });
  const path = filled(location);
  const place = isAbsolute(path) ? path : resolve(folder, path);
  return {
    words: [...words, ...(isElsewhere ? [] : [`--location=${place}`]), ...(own as readonly string[]).map(filled)],
    folder,
    location: isElsewhere ? undefined : place,
  };
}
