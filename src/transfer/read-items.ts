import type { ImportWish, TransferFormat } from './contract.js';
import { decodeText, readLines } from './read-lines.js';
import { readNdjson } from './read-ndjson.js';
import type { TransferItems } from './transfer-item.js';

/** Reads a file of any format. Errors: StateFault for one that cannot be read at all. */
export function readItems(bytes: AsyncIterable<Uint8Array>, format: TransferFormat, _wish: ImportWish): TransferItems {
  const texts = decodeText(bytes);
  switch (format) {
    default:
      return readNdjson(readLines(texts));
  }
}
