import { computed, effect, signal } from '@preact/signals';
import type { IdentitySummary } from '../../client/calls.js';
import { server } from '../wire/control-client.js';
import { announce, showError } from './notices.js';
import { mayChange, session } from './session.js';

/** The identities of the server; undefined before they are loaded. */
export const identities = signal<readonly IdentitySummary[] | undefined>(undefined);

/** The key of the name in the storage of this browser tab, which survives a reload. Tokens are kept in memory only. */
const storedName = 'tabularium.readAs';

const chosen = signal<string | undefined>(sessionStorage.getItem(storedName) ?? undefined);

/** Whether the page can get tokens of identities. */
export const canReadAs = computed(() => session.value?.keys !== undefined && mayChange.value);

/** The identity that reads tables and entities; undefined for the signature of the session. */
export const reader = computed(() => (canReadAs.value ? chosen.value : undefined));

/** Whether the server rejects the signature of the session. */
export const areKeysRejected = computed(() => session.value?.keys === 'rejected');

/** Whether the user may change tables and entities, which needs the signature of the session. */
export const mayEdit = computed(() => mayChange.value && reader.value === undefined && !areKeysRejected.value);

/** Chooses the identity to read as; undefined for the signature of the session. */
export function readAs(name: string | undefined): void {
  chosen.value = name;
  if (name === undefined) sessionStorage.removeItem(storedName);
  else sessionStorage.setItem(storedName, name);
  announce(name === undefined ? 'Tables are read with the account key' : `Tables are read as ${name}`);
}

/** Like `readAs`, but from a button that disappears with the choice: the content takes its focus. */
export function readAsFromNotice(name: string | undefined): void {
  readAs(name);
  document.getElementById('content')?.focus();
}

/** Loads the identities. Call it once. */
export function startIdentities(): void {
  effect(() => {
    if (canReadAs.value) loadIdentities().catch(showError);
  });
}

/** Loads the current identities. Their file may have changed. */
export async function loadIdentities(): Promise<void> {
  identities.value = await server.identities.list();
}

/** The tokens by the name of their identity. Concurrent requests share one. */
const tokens = new Map<string, Promise<string>>();

/** Returns a token of an identity. Errors: ControlError, for example if the file of identities no longer has it. */
export function tokenOf(name: string): Promise<string> {
  const known = tokens.get(name);
  if (known) return known;
  const asked = server.identities.token(name, { expires: '1h' }).then(({ token }) => token);
  tokens.set(name, asked);
  asked.catch(() => tokens.delete(name));
  return asked;
}

/** Forgets a token that the server no longer accepts, unless there is a newer one. */
export async function forgetToken(name: string, text: string | undefined): Promise<void> {
  if ((await tokens.get(name)) === text) tokens.delete(name);
}
