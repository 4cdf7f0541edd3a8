import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { sendRequest } from '../../client/http-transport.js';
import { requestOf } from '../../client/request-of.js';
import { ConfigError, shownValue } from '../../config.js';
import type { TransferFormat } from '../../transfer/contract.js';
import { endings, formatOfFile } from '../../transfer/files/import-files.js';
import { writeOut } from '../output.js';
import type { VerbPart } from './verb-part.js';

/** Writes the file of a verb to a path, whose ending tells the format of data, or to standard output. */
export const writeFileOf: VerbPart['run'] = async (server, verb, { asked, own: { PATH: path } }) => {
  const isData = 'format' in verb.takes;
  if (isData && typeof path === 'string') checkEnding(path);
  const transfer = isData && typeof path === 'string' ? await import('../../transfer/files/write-aside.js') : undefined;
  const format = (asked['format'] ?? (transfer && formatOfFile(String(path))) ?? 'ndjson') as TransferFormat;
  const answer = await sendRequest(server, requestOf(verb, isData ? { ...asked, format } : asked));
  if (transfer) await transfer.writeExport(String(path), format, answer);
  else if (typeof path === 'string') await (await import('../coach/write-report.js')).writeText(path, answer);
  else {
    for await (const part of answer.setEncoding('utf8')) if (!writeOut(part)) await once(process.stdout, 'drain');
  }
  return 0;
};

/** Rejects a new path with an unknown extension: nobody who exports to `people.txt` wants a folder. Errors: ConfigError. */
function checkEnding(path: string): void {
  if (formatOfFile(path) !== undefined || !/^\.[a-z]/i.test(extname(path)) || /[/\\]$/.test(path) || existsSync(path))
    return;
  const hint = `The name must end in ${endings()}, or in a slash for a folder.`;
  throw new ConfigError(`Unknown format: ${shownValue(path)}. ${hint}`);
}
