import { computed, signal } from '@preact/signals';
import type { DialectName } from '../../protocol/access/accounts.js';
import { askControl, needsToken } from '../client/control-client.js';
import { showError } from './notices.js';
import { replaceRoute, route } from './route.js';

/** An account that the page may use. */
export interface SessionAccount {
  readonly name: string;
  /** A shared access signature, as a query without a question mark. */
  readonly sas: string;
  /** The service that it belongs to. Absent: storage accounts. */
  readonly dialect?: DialectName;
  /** What it began as, if it is a branch. */
  readonly branch?: {
    readonly from: { readonly account: string; readonly snapshot?: string };
    readonly expires: string;
  };
}

/** What the server lets this page do. Source: src/control/session.ts. */
export interface Session {
  readonly version: string;
  readonly right: 'all' | 'read';
  /** Whether the server listens on loopback addresses alone, which containers may not reach. */
  readonly isLoopbackOnly: boolean;
  /** When the signatures end: UTC text. */
  readonly expires: string;
  /** Whether keys, and signatures by them, are accepted. Absent: the server has no identities. */
  readonly keys?: 'accepted' | 'refused';
  readonly accounts: readonly SessionAccount[];
}

/** How long before their end new signatures are asked for. Unit: milliseconds. Ours. */
const renewalMs = 10 * 60 * 1000;

/** The session; undefined until the server has answered. */
export const session = signal<Session | undefined>(undefined);

/** Whether the user may change anything. What changes is absent otherwise. */
export const mayChange = computed(() => session.value?.right === 'all');

/** The account that is shown: the one in the address, or the first one. */
export const account = computed(() => {
  const accounts = session.value?.accounts ?? [];
  return accounts.find(({ name }) => name === route.value.account) ?? accounts[0];
});

let renewal: ReturnType<typeof setTimeout> | undefined;

/** Asks for a session, and again before its signatures end. */
export function startSession(): void {
  void renewSession();
}

/** Asks for a session now, as after accounts or branches have changed. */
export async function renewSession(): Promise<void> {
  try {
    const next = await askControl<Session>('/session', { method: 'POST', body: {} });
    session.value = next;
    needsToken.value = false;
    if (route.value.account === undefined)
      replaceRoute({ account: next.accounts[0]?.name, params: route.value.params });
    clearTimeout(renewal);
    // The clock of the server may be frozen or ahead, so the time left is not read from `expires`.
    renewal = setTimeout(startSession, 60 * 60 * 1000 - renewalMs);
  } catch (error) {
    if (!needsToken.value) showError(error);
  }
}
