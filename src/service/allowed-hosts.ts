import { isIP } from 'node:net';
import { Accounts } from '../auth/accounts.js';
import { cloudTableDomains } from '../protocol/access/accounts.js';
import { TableError } from '../protocol/errors.js';
import type { HeaderFields } from '../protocol/header-fields.js';
import { lowerAscii } from '../protocol/names.js';

/** The settings of the server that the rules for hosts use. */
interface HostContext {
  readonly accounts: Accounts;
  /** The names of `--allowedHosts`, in lower case. */
  readonly named: readonly string[];
}

/** One kind of host that browsers may use. `host` is in lower case, without port and without a final dot. */
interface HostRule {
  readonly kind: string;
  allows(host: string, context: HostContext): boolean;
}

/**
 * The hosts that a browser may name. The owner of a web page can point a name of its domain at this machine (DNS rebinding).
 * The page's requests then have the same origin, so the page could read all data with the well-known key. No page can do this
 * with the names in this list: they are addresses, or only the machine, its network or the cloud resolves them.
 */
const hostRules: readonly HostRule[] = [
  { kind: 'an address', allows: (host) => isIP(host) !== 0 || /^\[.*\]$/.test(host) },
  { kind: 'this machine', allows: (host) => host.endsWith('.localhost') },
  // Names of containers, of Compose services, of services in one Kubernetes namespace, and `localhost`.
  { kind: 'a single label', allows: (host) => !host.includes('.') },
  { kind: 'the cloud name of an account here', allows: (host, { accounts }) => isAccountHost(host, accounts) },
  { kind: 'named by --allowedHosts', allows: (host, { named }) => named.some((name) => isNamed(host, name)) },
];

/**
 * The headers by which a browser differs from an SDK. A page that rebinds a name sends neither `Origin` nor `Sec-Fetch-*` with
 * a GET over plain HTTP. A script can make `Accept-Language` empty, but cannot remove it.
 * Source: test/sdk/browser-rebinding.browser.test.ts.
 */
const browserSigns: readonly ((headers: HeaderFields) => boolean)[] = [
  (headers) => headers.origin !== undefined,
  (headers) => headers['accept-language'] !== undefined,
  (headers) => /^\s*Mozilla\//i.test(headers['user-agent'] ?? ''),
  (headers) => headers['sec-fetch-site'] !== undefined || headers['sec-fetch-mode'] !== undefined,
  (headers) => headers['sec-fetch-dest'] !== undefined || headers['sec-fetch-user'] !== undefined,
];

/** Decides which hosts requests may name. */
export class AllowedHosts {
  readonly #context: HostContext;
  /** The last allowed `Host`: nearly all requests have the same one. */
  #last: string | undefined;
  #revision = 0;

  /** `named` are the names of `--allowedHosts`: a name, `*.name` for all names below it, or `*` for any host. */
  constructor(named: readonly string[], accounts: Accounts = new Accounts([])) {
    this.#context = { accounts, named: named.map(lowerAscii) };
  }

  /** Returns whether requests with this `Host` are served to all clients, including browsers. */
  allows(host: string | undefined): boolean {
    if (host === undefined || host === '') return true;
    const { revision } = this.#context.accounts;
    if (host === this.#last && revision === this.#revision) return true;
    const name = hostName(host);
    if (!hostRules.some((rule) => rule.allows(name, this.#context))) return false;
    this.#last = host;
    this.#revision = revision;
    return true;
  }

  /** Checks that the host of a request is allowed, or that no browser sent it. Errors: HostNotAllowed. */
  check(headers: HeaderFields): void {
    if (this.allows(headers.host) || !browserSigns.some((isSign) => isSign(headers))) return;
    throw new TableError('HostNotAllowed', {
      variant: { name: 'host-not-allowed', advice: hostRejection(headers.host) },
    });
  }
}

/** Returns the message for a host that is not allowed. It contains the host only if that is a plausible name. */
export function hostRejection(host: string | undefined): string {
  const name = hostName(host ?? '');
  const shown = /^[a-z0-9._-]{1,253}$/.test(name) ? name : undefined;
  const subject = shown === undefined ? 'The host of this request' : `The host ${shown}`;
  return `${subject} is not allowed. Start the server with --allowedHosts ${shown ?? '<name>'} if it is yours.`;
}

/** Returns the name in a `Host` header, in lower case, without the port and a final dot. */
export function hostName(host: string): string {
  return lowerAscii(host.replace(/:\d*$/, '').replace(/\.$/, ''));
}

/**
 * Returns whether a host is `account.table.core.windows.net` or similar. The first label does not suffice, because any owner
 * of a domain can have it.
 */
function isAccountHost(host: string, accounts: Accounts): boolean {
  const dot = host.indexOf('.');
  const account = host.slice(0, dot).replace(/-secondary$/, '');
  return accounts.hasLowerName(account) && cloudTableDomains.includes(host.slice(dot + 1));
}

function isNamed(host: string, name: string): boolean {
  return name === '*' || (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name);
}
