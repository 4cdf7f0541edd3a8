import type { AccessPolicy } from '../../protocol/access/access-policy.js';
import type { ExportedPart } from '../export/export-parts.js';
import { entityWriter } from './write-entity.js';
import type { ExportForm } from './write-ndjson.js';

/** Writes one JSON document: `{"tables":{NAME:[entity, …]},"policies":{NAME:[policy, …]}}`, an entity a line. */
export async function* writeJson(
  parts: AsyncIterable<ExportedPart>,
  { select }: Pick<ExportForm, 'select'>,
): AsyncGenerator<string> {
  const write = entityWriter(select);
  const policies = new Map<string, readonly AccessPolicy[]>();
  let [hasTable, hasRow] = [false, false];
  yield '{"tables":{';
  for await (const part of parts) {
    if (part.kind === 'table') {
      yield `${hasTable ? '\n],' : ''}\n${JSON.stringify(part.name)}:[`;
      if (part.policies.length > 0) policies.set(part.name, part.policies);
      [hasTable, hasRow] = [true, false];
    } else {
      yield part.texts.map((text, at) => `${hasRow || at > 0 ? ',' : ''}\n${write(text)}`).join('');
      hasRow ||= part.texts.length > 0;
    }
  }
  yield hasTable ? '\n]}' : '}';
  yield policies.size > 0 ? `,"policies":${JSON.stringify(Object.fromEntries(policies))}}\n` : '}\n';
}
