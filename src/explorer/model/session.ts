import { computed, signal } from '@preact/signals';
import type { Session } from '../../client/calls.js';
import { needsToken, server } from '../wire/control-client.js';
import { showError } from './notices.js';
import { replaceRoute, route } from './route.js';

/** How long before expiry signatures are renewed. Unit: milliseconds. (Our choice.) */
const renewalMs = 10 * 60 * 1000;

/** The session; undefined until the server has answered. */
export const session = signal<Session | undefined>(undefined);

/** Whether the user may change anything. Controls for changes are hidden otherwise. */
export const mayChange = computed(() => session.value?.right === 'all');

/** The account of the address; undefined if the server has none of that name. No other takes its place: a write would go there. */
export const account = computed(() => session.value?.accounts.find(({ name }) => name === route.value.account));

let renewal: ReturnType<typeof setTimeout> | undefined;

/** Requests a session, and renews it before its signatures expire. */
export function startSession(): void {
  void renewSession();
}

/** Requests a session now, for example after accounts or branches have changed. */
export async function renewSession(): Promise<void> {
  try {
    takeSession(await server.session());
  } catch (error) {
    if (!needsToken.value) showError(error);
  }
}

/** Takes a session that the server has sent, and renews it in time. */
export function takeSession(next: Session): void {
  session.value = next;
  needsToken.value = false;
  if (route.value.account === undefined) replaceRoute({ account: next.accounts[0]?.name, params: route.value.params });
  clearTimeout(renewal);
  // The clock of the server may be frozen or ahead, so the time left is not read from `expires`.
  renewal = setTimeout(startSession, 60 * 60 * 1000 - renewalMs);
}
