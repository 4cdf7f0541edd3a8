import type { Resource } from '../address/resource.js';
import { type BodyOpener, emptyBody, openJson } from '../formats/open-body.js';
import { queryEntities } from '../operations/entities/query-entities.js';
import type { OperationRequest } from '../operations/operation.js';
import { TableError } from '../protocol/errors.js';
import { planQuery } from '../query/plan-query.js';
import { PartAddresses } from './batch/part-address.js';
import { type BatchPart, readBatch } from './batch/read-multipart.js';
import type { RequestContext, RequestedOperation } from './read-operation.js';

/** The table and the keys that a request is about. */
export interface AddressedEntities {
  /** As the request spells it; undefined if it is about no table, or if its body cannot be read. */
  readonly table: string | undefined;
  /** Without a row key, it is the whole partition. Empty if it is about no entity, or about several partitions. */
  readonly keys: readonly AddressedKey[];
}

/** An entity or a partition. */
export interface AddressedKey {
  readonly partitionKey: string;
  readonly rowKey?: string | undefined;
}

/** A request with its body, before it runs. */
export interface ReadRequest {
  readonly asked: RequestedOperation;
  readonly text: string;
  readonly open: BodyOpener;
  readonly contentType: string | undefined;
  readonly context: RequestContext;
}

/** Returns what a request is about. It reads the body for that, and finds nothing in one that the operation refuses. */
export function readAddressed(read: ReadRequest): AddressedEntities {
  const { resource } = read.asked.request;
  try {
    switch (read.asked.row.operation.name) {
      case 'Create Table':
        return { table: read.open(read.text).readTableName(), keys: [] };
      case 'Entity Group Transaction':
        return inBatch(read);
      case 'Query Entities':
        return { table: tableIn(resource), keys: partitionsOf(read.asked.request) };
      default:
        return { table: tableIn(resource), keys: keysOf(resource, () => read.open(read.text)) };
    }
  } catch (error) {
    if (error instanceof TableError) return { table: tableIn(resource), keys: [] };
    throw error;
  }
}

function tableIn(resource: Resource): string | undefined {
  return 'table' in resource ? resource.table : undefined;
}

function keysOf(resource: Resource, body: () => ReturnType<BodyOpener>): readonly AddressedKey[] {
  if (resource.kind === 'entity') return [resource.key];
  if (resource.kind !== 'entities') return [];
  const { partitionKey, rowKey } = body().readEntity();
  return partitionKey === undefined ? [] : [{ partitionKey, rowKey }];
}

/** Returns the partitions that a query stays within; none if it may read others. */
function partitionsOf(request: OperationRequest): readonly AddressedKey[] {
  const { filter } = queryEntities.read?.(request, emptyBody) ?? {};
  const { ranges } = planQuery(filter, { rowsMax: 1 });
  const keys = ranges.flatMap(({ from, to }) =>
    from !== undefined && from.partitionKey === to?.partitionKey ? [{ partitionKey: from.partitionKey }] : [],
  );
  return keys.length === ranges.length ? keys : [];
}

function inBatch({ text, contentType, context }: ReadRequest): AddressedEntities {
  const batch = readBatch(text, contentType, context.dialect.requests.operationsMax);
  const parts: readonly BatchPart[] =
    batch.kind === 'change-set' ? batch.parts : batch.kind === 'query' ? [batch.part] : [];
  const addresses = new PartAddresses(context);
  const named = parts.map((part) => {
    const { resource } = addresses.read(part);
    const isRead = part.method === 'GET' && resource.kind !== 'entity';
    return { table: tableIn(resource), keys: isRead ? [] : keysOf(resource, () => openJson(part.body)) };
  });
  return { table: named[0]?.table, keys: named.flatMap(({ keys }) => keys) };
}
