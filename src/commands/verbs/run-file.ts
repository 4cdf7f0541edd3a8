import { once } from 'node:events';
import { sendRequest } from '../../client/http-transport.js';
import { requestOf } from '../../client/request-of.js';
import { ConfigError } from '../../config.js';
import type { TransferFormat } from '../../transfer/contract.js';
import { formatOfFile } from '../../transfer/files/import-files.js';
import { writeOut } from '../output.js';
import type { VerbRun } from './verb-command.js';

/** Writes the file of a verb to a path, whose extension selects the data format, or to standard output. */
export const writeFileOf: VerbRun = async (server, verb, { input, own: { PATH: path } }) => {
  const isData = 'format' in verb.takes;
  if (path === '-') throw new ConfigError('PATH cannot be -. Without a PATH, the answer goes to standard output.');
  const transfer = isData && typeof path === 'string' ? await import('../../transfer/files/write-aside.js') : undefined;
  transfer?.checkExportName(String(path));
  const format = (input['format'] ?? (transfer && formatOfFile(String(path))) ?? 'ndjson') as TransferFormat;
  const answer = await sendRequest(server, requestOf(verb, isData ? { ...input, format } : input));
  if (transfer) await transfer.writeExport(String(path), format, answer);
  else if (typeof path === 'string') await (await import('../coach/write-report.js')).writeText(path, answer);
  else {
    for await (const part of answer.setEncoding('utf8')) if (!writeOut(part)) await once(process.stdout, 'drain');
  }
  return 0;
};
