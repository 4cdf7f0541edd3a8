import { parseAddress, parseResource, readRepeatedTable } from '../../address/parse-address.js';
import type { Query } from '../../address/query.js';
import type { Resource } from '../../address/resource.js';
import { pointOperations } from '../../protocol/operation-names.js';
import { parseFilter } from '../../query/filter/parse-filter.js';
import { BoundedMap } from '../../remembered.js';
import type { CostsOf } from '../coach/feed-coach.js';
import { judgeQuery, type QueryFault } from '../queries/judge-query.js';
import type { QueryClass } from '../queries/query-classes.js';
import { writeQueryShape } from '../queries/write-shape.js';
import type { KeptRequest } from './request-ring.js';

/** What the target of a request tells. A field is absent if the target does not have it or cannot be read. */
export interface TargetFacts {
  readonly resource?: Resource;
  /** The `$filter`, decoded. */
  readonly filter?: string;
  /** What the cloud does for the request: of a query by its filter, of a request for one entity a point. */
  readonly query?: JudgedQuery;
  /** The same for all queries that differ only in their values. */
  readonly shape?: string;
}

/** What the cloud does for a query, and the rule that its form breaks. */
export interface JudgedQuery {
  readonly class: QueryClass;
  readonly fault?: QueryFault;
}

/** How many queries a reader remembers. (Our choice: a program has few forms of queries, and most repeat their values.) */
const rememberedMax = 256;

/** What the filter and the options of a query tell. */
export interface ReadQuery {
  readonly query: JudgedQuery;
  readonly shape: string;
}

/** Reads the targets of requests. It remembers the last queries, because parsing one takes longer than a point read. */
export class TargetReader {
  readonly #remembered = new BoundedMap<ReadQuery>(rememberedMax);
  readonly #costsOf: CostsOf;

  /** `costsOf` returns how the service of an account finds entities. */
  constructor(costsOf: CostsOf) {
    this.#costsOf = costsOf;
  }

  /** Returns what a target tells of a request. Nothing is thrown: a rejected target tells what could be read. */
  read({ target, host, isTls, account, operation }: KeptRequest): TargetFacts {
    if (account === undefined) return {};
    let found: TargetFacts = {};
    try {
      const scheme = isTls ? 'https' : 'http';
      const { resourcePath, query } = parseAddress({ url: target, host, scheme }, new Set([account]), {
        hasDefaultAccount: true,
      });
      const path = parseResource(resourcePath);
      const resource = path.kind === 'nested' ? readRepeatedTable(path) : path;
      if (!resource) return {};
      const filter = query.get('$filter');
      found = { resource, ...(filter !== undefined && { filter }) };
      if (pointOperations.has(operation)) return { ...found, query: { class: 'point' } };
      if (operation !== 'Query Entities' || resource.kind !== 'entities') return found;
      const { query: kind, shape } = this.readQuery(resource.table, query, account);
      return { ...found, query: kind, shape };
    } catch {
      return found;
    }
  }

  /** Returns what a query of a table costs in the cloud. Errors: those of `parseFilter`. */
  readQuery(table: string, options: Query, account: string | undefined): ReadQuery {
    const [filter = '', select, top] = [options.get('$filter'), options.get('$select'), options.get('$top')];
    const costs = this.#costsOf(account);
    const key = [account, table, filter, select, top].join('\n');
    return this.#remembered.use(key, () => {
      const rowsMax = top === undefined ? undefined : Number(top);
      const parsed = parseFilter(filter);
      const found = costs.classify(parsed);
      const fault = judgeQuery(found, rowsMax !== undefined);
      const shape = writeQueryShape(table, parsed, { select, rowsMax });
      return { query: { class: found.class, ...(fault && { fault }) }, shape };
    });
  }
}
