import { go, route, type TabName } from '../route.js';
import { tabs } from '../tabs.js';
import { isKeyListOpen } from './key-list.js';
import { isLetter } from './keys.js';

/**
 * Opens tabs with `g` and a letter, and the list of keys with `?`, unless the user writes. Call it once, before the page is drawn,
 * so that it hears each key.
 */
export function startShortcuts(): void {
  let afterG = false;
  addEventListener('keydown', (event) => {
    if (!isLetter(event)) return;
    if (event.key === '?') isKeyListOpen.value = true;
    const tab: TabName | undefined = afterG ? tabs.find(({ key }) => key === event.key)?.name : undefined;
    afterG = event.key === 'g';
    if (tab !== undefined && tab !== route.value.tab) go({ tab, item: undefined });
  });
}
