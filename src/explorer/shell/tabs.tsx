import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { showError } from '../model/notices.js';
import { hrefOfTab, route, type TabName } from '../model/route.js';
import { account } from '../model/session.js';

/** A tab of the page. */
export interface Tab {
  readonly name: TabName;
  readonly label: string;
  /** The letter that goes to it after `g`. */
  readonly key: string;
  /** Loads its code when it is first opened. */
  load(): Promise<{ readonly default: ComponentType }>;
}

const loaded = signal<ReadonlyMap<TabName, ComponentType>>(new Map());

/** The bar of tabs. They are links, so that each can be opened in its own window. */
export function TabBar({ tabs }: { readonly tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label="Tabs">
      {tabs.map(({ name, label }) => (
        <a key={name} href={hrefOfTab(name)} aria-current={route.value.tab === name ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}

/** The content of the open tab. */
export function TabContent({ tabs }: { readonly tabs: readonly Tab[] }) {
  const { tab: name } = route.value;
  useEffect(() => void open(tabs.find((tab) => tab.name === name)).catch(showError), [name]);
  const Content = loaded.value.get(name);
  const title = useTitle(tabs);
  return (
    <main id="content" tabIndex={-1} data-tab={name}>
      <h1 class="unseen">{title}</h1>
      {Content && <Content />}
    </main>
  );
}

/** Names the place in the title of the window, so that several windows can be told apart. Returns the part for the heading. */
function useTitle(tabs: readonly Tab[]): string {
  const { tab, item } = route.value;
  const label = tabs.find(({ name }) => name === tab)?.label ?? '';
  const title = tab === 'data' && item !== undefined ? item : label;
  const name = account.value?.name;
  useLayoutEffect(() => {
    document.title = `${title} – ${name}`;
  }, [title, name]);
  return title;
}

async function open(tab: Tab | undefined): Promise<void> {
  if (!tab || loaded.value.has(tab.name)) return;
  const { default: content } = await tab.load();
  loaded.value = new Map([...loaded.value, [tab.name, content]]);
}
