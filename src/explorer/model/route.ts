import { computed, effect, signal } from '@preact/signals';
import { serverRoot } from '../wire/host.js';

/** The tabs, as addresses name them. */
export const tabNames = ['data', 'requests', 'coach', 'state', 'connect'] as const;

/** One of the tabs. */
export type TabName = (typeof tabNames)[number];

/** The place of the user, entirely in the fragment of the address: `#/account/tab/item?name=value`. */
export interface Route {
  /** The account or branch; undefined before one is chosen. */
  readonly account: string | undefined;
  readonly tab: TabName;
  /** The thing that the tab shows: the table, for Data. */
  readonly item: string | undefined;
  /** State of the tab, such as its filters. */
  readonly params: ReadonlyMap<string, string>;
}

const current = signal<Route>(readRoute(''));

/** The current place of the user. */
export const route = computed(() => current.value);

/** Where each tab was left, by account and tab, for as long as the page is open. */
const left = signal<ReadonlyMap<string, Partial<Route>>>(new Map());

/** Returns the address of a tab as it was left in the account that is shown, for a link. */
export function hrefOfTab(tab: TabName): string {
  const { account } = current.value;
  return hrefOf({ tab, item: undefined, ...left.value.get(JSON.stringify([account, tab])) });
}

/** Follows the address, also when the user goes back. Call it once. */
export function startRoute(): void {
  effect(() => {
    const { account, tab, item, params } = current.value;
    left.value = new Map([...left.peek(), [JSON.stringify([account, tab]), { item, params }]]);
  });
  const read = () => {
    current.value = readRoute(location.hash.slice(1));
  };
  addEventListener('hashchange', read);
  addEventListener('popstate', skipClosed);
  // In a tab of an editor, links lead nowhere: it prevents that, in a listener before or after this one.
  addEventListener('click', (event) => {
    const { hash = '' } = (event.target instanceof Element && event.target.closest('a')) || {};
    if (hash !== '') setTimeout(() => event.defaultPrevented && go(readRoute(hash.slice(1))));
  });
  read();
}

/** Goes to another place, with an entry in the history. Parts that `change` does not name stay, except parameters. */
export function go(change: Partial<Route>): void {
  move(change, 'push');
}

/** Goes to another place without an entry in the history. */
export function replaceRoute(change: Partial<Route>): void {
  move(change, 'replace');
}

/** Changes parameters of the address without an entry in the history. Undefined removes one. */
export function setParams(changes: Readonly<Partial<Record<string, string>>>): void {
  const params = new Map(current.value.params);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') params.delete(name);
    else params.set(name, value);
  }
  replaceRoute({ params });
}

/** The entry of the history that is current: of a panel that is open over its place, of one that was closed, or of another place. */
let entry: unknown;

/** The part of the address that has the thing in a panel: its item, or a parameter. */
type PanelPlace = 'item' | 'row';

/** Opens a panel. Back closes it, as it does a second one that takes its place. */
export function openOver(place: PanelPlace, value: string): void {
  const { item, params } = current.value;
  const isOver = (place === 'item' ? item : params.get(place)) !== undefined;
  const how = isOver || history.state === 'closed' ? 'replace' : 'push';
  if (how === 'push') history.replaceState('below', '');
  move(changeOf(place, value), how, isOver ? history.state : 'open');
}

/** Closes a panel. */
export function closeOver(place: PanelPlace): void {
  move(changeOf(place, undefined), 'replace', history.state === 'open' ? 'closed' : null);
}

function changeOf(place: PanelPlace, value: string | undefined): Partial<Route> {
  const params = new Map(current.value.params);
  if (place === 'item') return { item: value, params };
  if (value === undefined) params.delete(place);
  else params.set(place, value);
  return { params };
}

/** Skips the entry of a closed panel when the user goes back: it is the same place as the one before. */
function skipClosed(): void {
  const isSame = entry === 'closed' && history.state === 'below' && location.hash === hrefOf(current.value);
  entry = history.state;
  if (isSame) history.back();
}

/** Returns the address of a place, for a link. */
export function hrefOf(change: Partial<Route>): string {
  const { account, tab, item, params } = { ...current.value, params: new Map<string, string>(), ...change };
  const path = [account ?? '-', tab, item].filter((part) => part !== undefined).map(encodeURIComponent);
  const query = new URLSearchParams([...params]).toString();
  return `#/${path.join('/')}${query === '' ? '' : `?${query}`}`;
}

/** Returns the URL of a place, for people to share. */
export function linkTo(change: Partial<Route>): string {
  return `${serverRoot}/_tabularium/${hrefOf(change)}`;
}

function move(change: Partial<Route>, how: 'push' | 'replace', state = how === 'push' ? null : history.state): void {
  const href = hrefOf(change);
  if (href === location.hash) return;
  if (how === 'push') history.pushState(state, '', href);
  else history.replaceState(state, '', href);
  entry = state;
  current.value = readRoute(href.slice(1));
}

/** Parses a fragment. Skips malformed parts, so that every address opens the page. */
function readRoute(fragment: string): Route {
  const at = fragment.indexOf('?');
  const path = at < 0 ? fragment : fragment.slice(0, at);
  const [, account, tab, item] = path.split('/').map(decodePart);
  return {
    account: account === '-' || account === '' ? undefined : account,
    tab: tabNames.find((name) => name === tab) ?? 'data',
    item: item === '' ? undefined : item,
    params: new Map(new URLSearchParams(at < 0 ? '' : fragment.slice(at + 1))),
  };
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
