import { Accounts } from '../../../src/auth/accounts.js';
import { State } from '../../../src/state/state.js';
import type { Store } from '../../../src/store/store.js';
import type { ExportWish, ImportReport, ImportWish, TransferFormat } from '../../../src/transfer/contract.js';
import { Transfer } from '../../../src/transfer/transfer.js';
import { account } from '../store/store-changes.js';

/** Imports and exports of a store, as texts. */
export interface TransferTools {
  /** Imports a text, in pieces of `pieceBytes`. */
  importText(
    text: string | Buffer,
    wish?: ImportWish & { format?: TransferFormat; pieceBytes?: number },
  ): Promise<ImportReport>;
  exportText(wish?: ExportWish): Promise<string>;
}

/** Returns the imports and exports of a store that serves `account` and these accounts. */
export function transferOf(store: Store, ...others: readonly string[]): TransferTools {
  const accounts = new Accounts([account, ...others].map((name) => ({ name, keys: ['a2V5'] })));
  const transfer = new Transfer(store, new State(store, accounts, () => {}));
  return {
    importText(text, { format = 'ndjson', pieceBytes = 64 * 1024, ...wish } = {}) {
      return transfer.import([{ format, open: () => piecesOf(Buffer.from(text), pieceBytes) }], wish);
    },
    async exportText(wish = {}) {
      let text = '';
      for await (const piece of (await transfer.export(wish)).setEncoding('utf8')) text += piece;
      return text;
    },
  };
}

/** Returns bytes in pieces, as a file or a client gives them. */
export async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
