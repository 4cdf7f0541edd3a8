import { computed, signal } from '@preact/signals';
import type { Session } from '../../client/calls.js';
import { needsToken, server } from '../wire/control-client.js';
import { showError } from './notices.js';
import { replaceRoute, route } from './route.js';

/** The signatures are renewed when less than this is left. Unit: milliseconds. (Our choice: a copied one is of use for a while.) */
const renewalMs = 30 * 60 * 1000;

/** The session; undefined until the server has answered. */
export const session = signal<Session | undefined>(undefined);

/** Whether the user may change anything. Controls for changes are hidden otherwise. */
export const mayChange = computed(() => session.value?.right === 'all');

/** The account of the address; undefined if the server has none of that name. No other takes its place: a write would go there. */
export const account = computed(() => session.value?.accounts.find(({ name }) => name === route.value.account));

/** Requests a session, for example after accounts or branches have changed. */
export async function renewSession(): Promise<void> {
  try {
    takeSession(await server.session());
  } catch (error) {
    if (!needsToken.value) showError(error);
  }
}

/** Renews the signatures if they end soon. `now` is the time of the server, whose clock may be frozen or ahead. */
export async function renewInTime(now: string): Promise<void> {
  if (session.value && Date.parse(session.value.expires) - Date.parse(now) < renewalMs) await renewSession();
}

/** Takes a session that the server has sent. */
export function takeSession(next: Session): void {
  session.value = next;
  needsToken.value = false;
  if (route.value.account === undefined) replaceRoute({ account: next.accounts[0]?.name, params: route.value.params });
}
