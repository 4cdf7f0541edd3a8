import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { examineStore } from '../../store/level/check/examine-store.js';
import { dataFolder } from '../../store/level/open-folder.js';
import { StoreError } from '../../store/store-error.js';
import type { CommandConfig } from '../options/server-options.js';
import { type Finding, messageOf } from './finding.js';

/** The finding about the data, and the time of the last write. */
export interface DataExamination {
  readonly finding: Finding;
  /** The last Timestamp in the data; undefined if there is no data or it cannot be read. */
  readonly lastWrite: string | undefined;
}

/**
 * Checks that the data folder is writable, not in use, and readable by this version. Changes nothing. `isRunning` tells whether a
 * Tabularium is running, whose data it may be.
 */
export async function examineData({ inMemory, location }: CommandConfig, isRunning = false): Promise<DataExamination> {
  const about = 'data';
  if (inMemory) {
    return { finding: { about, found: 'in memory; it is lost when the server ends' }, lastWrite: undefined };
  }
  const folder = resolve(location, dataFolder);
  const existing = await nearestExisting(folder);
  try {
    await access(existing, constants.W_OK | constants.X_OK);
  } catch (error) {
    const remedy = `Let this user write to ${existing}, or choose another --location.`;
    return {
      finding: { about, found: `${folder} cannot be written: ${messageOf(error)}`, remedy },
      lastWrite: undefined,
    };
  }
  if (existing !== folder) {
    return { finding: { about, found: `${folder} will be created at the first start` }, lastWrite: undefined };
  }
  return examineFolder(folder, isRunning);
}

/** Checks whether a server could open the data. */
async function examineFolder(folder: string, isRunning: boolean): Promise<DataExamination> {
  const about = 'data';
  const reports: string[] = [];
  const report = (error: unknown) => reports.push(messageOf(error));
  let lastWrite: string | undefined;
  try {
    lastWrite = await examineStore(folder, report);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const finding =
      error.code === 'in-use' && isRunning
        ? { about, found: `${folder} is in use by another process, and a Tabularium is running` }
        : { about, found: error.fault, remedy: error.remedy };
    return { finding, lastWrite: undefined };
  }
  return { finding: { about, found: [`${folder} can be opened`, ...reports].join('. ') }, lastWrite };
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch {
    const parent = dirname(path);
    return parent === path ? path : nearestExisting(join(parent));
  }
}
