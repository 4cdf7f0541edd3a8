import { randomUUID } from 'node:crypto';
import type { Accounts } from '../auth/accounts.js';
import type { TokenAuthority } from '../auth/token-authority.js';
import type { Dialect } from '../dialects/dialect.js';
import { storageDialect } from '../dialects/storage/storage-dialect.js';
import { AlikeBodies } from '../entity/body/alike-bodies.js';
import { PageMemory } from '../formats/json/page-buffer.js';
import { KnownFilters } from '../query/filter/known-filters.js';
import type { TableStore } from '../store/store.js';
import { AllowedHosts } from './allowed-hosts.js';
import type { RequestExplainer } from './explain.js';
import type { OperationGate } from './gate.js';

/** The shared parts of the requests of one listener. None is in a module, so two servers in a process share nothing. */
export interface Service {
  readonly dialect: Dialect;
  readonly store: TableStore;
  readonly accounts: Accounts;
  readonly names: ReadonlySet<string>;
  /** The hosts that browsers may use. */
  readonly hosts: AllowedHosts;
  /** The forms of parsed filters, and the memory of pages. */
  readonly filters: KnownFilters;
  readonly pages: PageMemory;
  readonly bodies: AlikeBodies;
  readonly ids: RequestIds;
  /** Milliseconds since 1970: the clock that dates answers and the age of signatures, which tests may move. */
  readonly now: () => number;
  /** The same for the age of Shared Key requests and bearer tokens, which no test clock moves. */
  readonly realNow: () => number;
  readonly bearerTokens: boolean;
  /** Verifies bearer tokens; undefined: there are no identities. */
  readonly tokens: TokenAuthority | undefined;
  /** Whether the account in the path always has priority over the one in the host. */
  readonly pathFirst: boolean;
  /** Runs around every operation; undefined: none. */
  readonly gate: OperationGate | undefined;
  /** Adds accounts created by other servers to `accounts`; undefined: there are no other servers. */
  readonly findAccounts: (() => Promise<void>) | undefined;
  /** Explains rejections to the observers, and requests to clients that opt in; undefined: nothing is explained. */
  readonly explainer: RequestExplainer | undefined;
  /** Reports an error that no client caused. */
  report(error: unknown, message: string, requestId: string): void;
}

/** The shared parts of one server's listeners, so that one memory limit holds for all. */
type SharedParts = Pick<Service, 'ids' | 'filters' | 'pages' | 'bodies'>;

/** Returns the shared parts of a new server. */
export function createSharedParts(): SharedParts {
  return { ids: new RequestIds(), filters: new KnownFilters(), pages: new PageMemory(), bodies: new AlikeBodies() };
}

type ServiceParts = Pick<Service, 'accounts' | 'store' | 'now' | 'bearerTokens' | 'report'> &
  Partial<Omit<Service, 'names'>>;

/**
 * Creates a service. Defaults: storage accounts, the hosts that are always allowed, one clock, and neither other servers nor
 * faults nor explanations.
 */
export function createService(parts: ServiceParts): Service {
  const { accounts, store, now, bearerTokens, report, dialect = storageDialect } = parts;
  const shared = createSharedParts();
  return {
    dialect,
    store,
    accounts,
    names: accounts.namesOf(dialect.name),
    hosts: parts.hosts ?? new AllowedHosts([]),
    filters: parts.filters ?? shared.filters,
    pages: parts.pages ?? shared.pages,
    bodies: parts.bodies ?? shared.bodies,
    ids: parts.ids ?? shared.ids,
    now,
    realNow: parts.realNow ?? now,
    bearerTokens,
    tokens: parts.tokens,
    pathFirst: parts.pathFirst ?? false,
    gate: parts.gate,
    findAccounts: parts.findAccounts,
    explainer: parts.explainer,
    report,
  };
}

/** Three hexadecimal digits for each number below 4096. Formatting a number takes several times as long. */
const threeDigits: readonly string[] = Array.from({ length: 4096 }, (_, number) =>
  number.toString(16).padStart(3, '0'),
);

/**
 * The ids of the requests of one server. An id is a GUID that ends with the number of the request, so that a journal keeps the
 * number alone. The beginning is random, so ids of several servers differ.
 */
export class RequestIds {
  readonly #beginning = randomUUID().slice(0, 24);
  #last = 0;

  /** The number of the last request; 0: there was none. */
  get last(): number {
    return this.#last;
  }

  next(): number {
    this.#last++;
    return this.#last;
  }

  /** Returns the `x-ms-request-id` of the request with a number, which is below 2^48. */
  write(number: number): string {
    const high = Math.floor(number / 2 ** 24);
    return (
      this.#beginning +
      threeDigits[high >>> 12] +
      threeDigits[high & 4095] +
      threeDigits[(number >>> 12) & 4095] +
      threeDigits[number & 4095]
    );
  }
}
