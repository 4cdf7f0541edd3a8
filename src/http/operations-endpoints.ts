import type { IncomingMessage, ServerResponse } from 'node:http';
import { targetOf } from '../address/request-target.js';
import { AllowedHosts, hostRefusal } from './allowed-hosts.js';
import type { RequestMetrics } from './metrics.js';
import type { MetricsPage } from './metrics-page.js';

/** What those who operate a server may ask of its store. */
export interface StoreProbe {
  /** Whether the store answers a read. */
  answers(): boolean;
  /** Fails while no write can succeed. */
  checkWrites(): Promise<void>;
  /** What its cache holds. Unit: bytes. */
  cacheBytes(): number;
}

interface OwnAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The paths there are, and what they are for. */
const paths = {
  '/_tabularium/health': 'whether requests are served',
  '/_tabularium/health/live': 'whether the process answers',
  '/_tabularium/health/ready': 'whether requests are served',
  '/_tabularium/metrics': 'counts and durations, for Prometheus',
} as const;

/** Whether a request target is for those who operate the server: no account can be called so. */
export function isOwnPath(url: string): boolean {
  return targetOf(url).startsWith('/_');
}

/** What is below `/_tabularium`: health and metrics, for anyone who asks by an allowed host. */
export class OperationsEndpoints {
  /** Set once the server no longer wants to be sent requests. */
  stopping = false;
  readonly #metrics: RequestMetrics;
  readonly #store: StoreProbe;
  readonly #hosts: AllowedHosts;
  #page: Promise<MetricsPage> | undefined;

  constructor(metrics: RequestMetrics, store: StoreProbe, hosts = new AllowedHosts([])) {
    this.#hosts = hosts;
    this.#metrics = metrics;
    this.#store = store;
  }

  /** Answers a request whose path is ours. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const { host } = request.headers;
    const { status, contentType, body } = !this.#hosts.allows(host)
      ? json(403, { error: hostRefusal(host) })
      : isRead
        ? await this.#read(pathOf(request.url ?? ''))
        : readOnly;
    response.writeHead(status, {
      'Content-Type': contentType,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      ...(status === 405 && { Allow: 'GET, HEAD' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  async #read(path: string): Promise<OwnAnswer> {
    switch (path) {
      case '/_tabularium/health/live':
        return json(200, { status: 'live' });
      case '/_tabularium/health':
      case '/_tabularium/health/ready':
        return this.#readiness();
      case '/_tabularium/metrics':
        return this.#readMetrics();
      default:
        return json(404, { error: `There is nothing at ${path}.`, paths });
    }
  }

  async #readiness(): Promise<OwnAnswer> {
    if (this.stopping) return json(503, { status: 'stopping' });
    // First, since it may open the engine again.
    const takesWrites = await this.#store.checkWrites().then(
      () => true,
      () => false,
    );
    try {
      if (this.#store.answers())
        return takesWrites ? json(200, { status: 'ready' }) : json(503, { status: 'writes-fail' });
    } catch {
      // Why is in the log, where requests failed.
    }
    return json(503, { status: 'store-fails' });
  }

  async #readMetrics(): Promise<OwnAnswer> {
    // Loaded when someone asks: most servers are never watched.
    this.#page ??= import('./metrics-page.js').then(({ createMetricsPage }) =>
      createMetricsPage(this.#metrics, () => this.#store.cacheBytes()),
    );
    const page = await this.#page;
    return { status: 200, contentType: page.contentType, body: await page.write() };
  }
}

const readOnly = json(405, { error: 'This can only be read; use GET.', paths });

function json(status: number, value: object): OwnAnswer {
  return { status, contentType: 'application/json; charset=utf-8', body: `${JSON.stringify(value)}\n` };
}

/** The path of a request target, without a final slash. */
function pathOf(url: string): string {
  const path = targetOf(url).split('?', 1)[0] ?? '';
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
