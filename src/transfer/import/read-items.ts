import type { ImportWish, TransferFormat } from '../contract.js';
import { readCsv } from '../csv/read-csv.js';
import { readCsvRecords } from '../csv/read-csv-records.js';
import { readJsonDocument } from '../json/read-json-document.js';
import { readNdjson } from '../json/read-ndjson.js';
import { decodeText, readLines } from '../read-lines.js';
import type { TransferItems } from './transfer-item.js';

/** Reads a file of any format. Errors: StateFault for one that cannot be read at all. */
export function readItems(bytes: AsyncIterable<Uint8Array>, format: TransferFormat, wish: ImportWish): TransferItems {
  const texts = decodeText(bytes);
  if (format === 'csv') return readCsv(readCsvRecords(texts), wish);
  return format === 'json' ? readJsonDocument(texts) : readNdjson(readLines(texts));
}
