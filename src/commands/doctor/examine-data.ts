import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createClock } from '../../entity/clock.js';
import { examineStore } from '../../store/level/examine-store.js';
import { dataFolder } from '../../store/open-store.js';
import { StoreError } from '../../store/store-error.js';
import type { CommandConfig } from '../server-options.js';
import { type Finding, messageOf } from './finding.js';

/** What is known of the data: what to say of it, and when it was last written. */
export interface DataExamination {
  readonly finding: Finding;
  /** The last Timestamp that was given; undefined where there is no data, or it cannot be read. */
  readonly lastWrite: string | undefined;
}

/** Whether the data folder can be written, is free, and holds what this version reads. */
export async function examineData({ inMemory, location }: CommandConfig): Promise<DataExamination> {
  const about = 'data';
  if (inMemory) return { finding: { about, says: 'in memory; it is gone when the server ends' }, lastWrite: undefined };
  const folder = resolve(location, dataFolder);
  const existing = await nearestExisting(folder);
  try {
    await access(existing, constants.W_OK | constants.X_OK);
  } catch (error) {
    const remedy = `Let this user write to ${existing}, or choose another --location.`;
    return {
      finding: { about, says: `${folder} cannot be written: ${messageOf(error)}`, remedy },
      lastWrite: undefined,
    };
  }
  if (existing !== folder) {
    return { finding: { about, says: `${folder} will be made at the first start` }, lastWrite: undefined };
  }
  return examineFolder(folder);
}

/** Finds out whether a server could open the data. */
async function examineFolder(folder: string): Promise<DataExamination> {
  const about = 'data';
  // A clock whose own time never counts: what it says is what the data say.
  const clock = createClock(() => 0);
  const reports: string[] = [];
  const report = (error: unknown) => reports.push(messageOf(error));
  try {
    await examineStore({ folder, clock, report });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { finding: { about, says: error.fault, remedy: error.remedy }, lastWrite: undefined };
  }
  const last = clock.last();
  const isNew = Date.parse(last) === 0;
  return {
    finding: { about, says: [`${folder} can be opened`, ...reports].join('. ') },
    lastWrite: isNew ? undefined : last,
  };
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch {
    const above = dirname(path);
    return above === path ? path : nearestExisting(join(above));
  }
}
