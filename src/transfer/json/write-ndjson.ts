import type { ExportedPart } from '../export/export-parts.js';
import { writeTableHeader } from '../table-header.js';
import { entityWriter } from './write-entity.js';

/** How an export is written. */
export interface ExportForm {
  /** Whether tables are written with their account. */
  readonly hasAccounts: boolean;
  /** The properties to write beside the keys. Absent: all. */
  readonly select: readonly string[] | undefined;
}

/** Writes NDJSON: a line for each table, and after it one for each of its entities. */
export async function* writeNdjson(
  parts: AsyncIterable<ExportedPart>,
  { hasAccounts, select }: ExportForm,
): AsyncGenerator<string> {
  const write = entityWriter(select);
  for await (const part of parts) {
    if (part.kind === 'entities') yield part.texts.map((text) => `${write(text)}\n`).join('');
    else {
      const { account, name, policies } = part;
      yield `${writeTableHeader({ name, policies, ...(hasAccounts && { account }) })}\n`;
    }
  }
}
