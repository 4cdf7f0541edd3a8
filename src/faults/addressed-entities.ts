import type { Resource } from '../address/resource.js';
import { emptyBody, openJson } from '../formats/open-body.js';
import type { OperationRequest, RequestBody } from '../operations/operation.js';
import { queryEntities } from '../operations/read-entities.js';
import { TableError } from '../protocol/errors.js';
import { planQuery } from '../query/plan/plan-query.js';
import { PartAddresses } from '../service/batch/part-address.js';
import { type BatchPart, readBatch } from '../service/batch/read-batch.js';
import type { Service } from '../service/service.js';
import type { Loaded } from '../service/stages.js';

/** The table and the keys of a request. */
export interface AddressedEntities {
  /** As spelled in the request; undefined if it names none, or if its body cannot be read. */
  readonly table: string | undefined;
  /** A key without a row key is a whole partition. Empty for requests about no entity, and queries across all partitions. */
  readonly keys: readonly AddressedKey[];
}

/** An entity or a partition. */
export interface AddressedKey {
  readonly partitionKey: string;
  readonly rowKey?: string | undefined;
}

/** Returns the table and the keys of a request. May read the body; an invalid one has no keys. */
export function readAddressed(service: Service, loaded: Loaded): AddressedEntities {
  const { routed, text, open } = loaded;
  const { row, request } = routed;
  const { resource } = request;
  try {
    switch (row.operation.name) {
      case 'Create Table':
        return { table: open(text).readTableName(), keys: [] };
      case 'Entity Group Transaction':
        return inBatch(service, loaded);
      case 'Query Entities':
        return { table: tableIn(resource), keys: partitionsOf(request) };
      default:
        return { table: tableIn(resource), keys: keysOf(resource, () => open(text)) };
    }
  } catch (error) {
    if (error instanceof TableError) return { table: tableIn(resource), keys: [] };
    throw error;
  }
}

function tableIn(resource: Resource): string | undefined {
  return 'table' in resource ? resource.table : undefined;
}

function keysOf(resource: Resource, body: () => RequestBody): readonly AddressedKey[] {
  if (resource.kind === 'entity') return [resource.key];
  if (resource.kind !== 'entities') return [];
  const { partitionKey, rowKey } = body().readEntity();
  return partitionKey === undefined ? [] : [{ partitionKey, rowKey }];
}

/** Returns the partitions that confine a query; none if it may read others. */
function partitionsOf(request: OperationRequest): readonly AddressedKey[] {
  const { filter } = queryEntities.read?.(request, emptyBody) ?? {};
  const { ranges } = planQuery(filter, { rowsMax: 1 });
  const keys = ranges.flatMap(({ from, to }) =>
    from !== undefined && from.partitionKey === to?.partitionKey ? [{ partitionKey: from.partitionKey }] : [],
  );
  return keys.length === ranges.length ? keys : [];
}

function inBatch({ dialect: { requests } }: Service, { routed, text }: Loaded): AddressedEntities {
  const { received, addressed } = routed.authenticated;
  const batch = readBatch(text, received.headers['content-type'], requests.operationsMax);
  const parts: readonly BatchPart[] =
    batch.kind === 'change-set' ? batch.parts : batch.kind === 'query' ? [batch.part] : [];
  const addresses = new PartAddresses(addressed.address, requests);
  const named = parts.map((part) => {
    const { resource } = addresses.read(part);
    const isRead = part.method === 'GET' && resource.kind !== 'entity';
    return { table: tableIn(resource), keys: isRead ? [] : keysOf(resource, () => openJson(part.body)) };
  });
  return { table: named[0]?.table, keys: named.flatMap(({ keys }) => keys) };
}
