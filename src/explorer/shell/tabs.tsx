import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { showError } from './notices.js';
import { hrefOf, route, type TabName } from './route.js';

/** A tab of the page. */
export interface Tab {
  readonly name: TabName;
  readonly label: string;
  /** The letter that goes to it after `g`. */
  readonly key: string;
  /** Loads its code, when it is opened for the first time. */
  load(): Promise<{ readonly default: ComponentType }>;
}

/** The tabs in their order. A new one is a row here and a folder of its own, whose `tab.tsx` has the component as its default. */
export const tabs: readonly Tab[] = [
  { name: 'data', label: 'Data', key: 'd', load: () => import('../data/tab.js') },
  { name: 'requests', label: 'Requests', key: 'r', load: () => import('../requests/tab.js') },
  { name: 'coach', label: 'Coach', key: 'c', load: () => import('../coach/tab.js') },
  { name: 'state', label: 'State', key: 's', load: () => import('../state/tab.js') },
  { name: 'connect', label: 'Connect', key: 'n', load: () => import('../connect/tab.js') },
];

const loaded = signal<ReadonlyMap<TabName, ComponentType>>(new Map());

/** The bar of tabs. They are links, so that each can be opened in a window of its own. */
export function TabBar() {
  return (
    <nav class="tabs" aria-label="Tabs">
      {tabs.map(({ name, label }) => (
        <a
          key={name}
          href={hrefOf({ tab: name, item: undefined })}
          aria-current={route.value.tab === name ? 'page' : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  );
}

/** The content of the tab that is open. */
export function TabContent() {
  const { tab: name } = route.value;
  useEffect(() => void open(name), [name]);
  const Content = loaded.value.get(name);
  return (
    <main id="content" tabIndex={-1} data-tab={name}>
      {Content && <Content />}
    </main>
  );
}

async function open(name: TabName): Promise<void> {
  if (loaded.value.has(name)) return;
  try {
    const { default: content } = await (tabs.find((tab) => tab.name === name) as Tab).load();
    loaded.value = new Map([...loaded.value, [name, content]]);
  } catch (error) {
    showError(error);
  }
}
