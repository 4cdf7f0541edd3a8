import type { RunningServer } from '../server.js';
import type { ImportSource } from '../transfer/transfer.js';
import type { ImportedData, TransferCalls } from './tabularium.js';

/** Returns the calls of an instance that import files and write them. They load their code when they are called. */
export function createTransferCalls({ openTransfer }: Pick<RunningServer, 'openTransfer'>): TransferCalls {
  return {
    async import(data, { format, ...wish } = {}) {
      const sources: readonly ImportSource[] =
        typeof data === 'string'
          ? await sourcesAt(data, format)
          : [{ format: format ?? 'ndjson', open: () => bytesOf(data) }];
      return (await openTransfer()).import(sources, wish);
    },
    async exportTo(path, wish = {}) {
      const { exportToPath } = await import('../transfer/files/write-aside.js');
      await exportToPath(await openTransfer(), path, wish);
    },
  };
}

async function sourcesAt(path: string, format: ImportSource['format'] | undefined): Promise<readonly ImportSource[]> {
  const { findImportFiles, sourceOf } = await import('../transfer/files/import-files.js');
  return (await findImportFiles(path, format)).map(sourceOf);
}

async function* bytesOf(data: Exclude<ImportedData, string>): AsyncGenerator<Uint8Array> {
  for await (const piece of data) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}
