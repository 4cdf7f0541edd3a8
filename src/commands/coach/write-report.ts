import { writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { ConfigError } from '../../config.js';
import type { CoachReport } from '../../insight/coach/report/coach-report.js';
import { writeMarkdown } from '../../insight/coach/report/write-markdown.js';
import { reasonOf } from '../../user-files/read-text-file.js';
import type { ReportFormat, ReportPlace } from './run-plan.js';

const writers: Readonly<Record<ReportFormat, (report: CoachReport) => string>> = {
  md: writeMarkdown,
  json: (report) => `${JSON.stringify(report, null, 2)}\n`,
};

/** Writes a report in the format of its file. Errors: ConfigError. */
export async function writeReport(report: CoachReport, { file, format }: ReportPlace): Promise<void> {
  await writeText(file, writers[format](report));
}

/** Writes or appends text to a file. Errors: ConfigError if the file cannot be written. */
export async function writeText(file: string, text: string | Readable, flag: 'w' | 'a' = 'w'): Promise<void> {
  try {
    await writeFile(file, text, { flag });
  } catch (error) {
    throw new ConfigError(`The file ${file} cannot be written: ${reasonOf(error)}.`);
  }
}
