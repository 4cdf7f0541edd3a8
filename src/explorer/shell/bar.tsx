import { go } from '../model/route.js';
import { account, mayChange, session } from '../model/session.js';
import { Icon } from '../parts/icon.js';
import { MenuHost } from '../parts/menu.js';
import { ConnectionMark } from './connection-mark.js';
import { isKeyListOpen } from './keys.js';
import { type Tab, TabBar } from './tabs.js';

/** The bar at the top: account or branch, tabs, and the list of keys. In a small window the tabs are at the bottom. */
export function Bar({ tabs }: { readonly tabs: readonly Tab[] }) {
  return (
    <header class="bar line">
      <button type="button" class="unseen" onClick={() => document.getElementById('content')?.focus()}>
        Skip to the content
      </button>
      <Icon name="logo" />
      <AccountChoice />
      <TabBar tabs={tabs} />
      <span class="space" />
      {session.value && !mayChange.value && <span class="mark">read only</span>}
      <ConnectionMark />
      <button type="button" class="quiet" aria-label="Keys" title="Keys" onClick={() => (isKeyListOpen.value = true)}>
        ?
      </button>
      {/* Menus open over everything, but belong to a landmark. */}
      <MenuHost />
    </header>
  );
}

/** Chooses an account or a branch, which is an account, too. */
function AccountChoice() {
  const accounts = session.value?.accounts ?? [];
  return (
    <select
      class="account"
      aria-label="Account or branch"
      value={account.value?.name ?? ''}
      onChange={({ currentTarget }) => go({ account: currentTarget.value, item: undefined })}
    >
      {!account.value && <option value="">No account</option>}
      {accounts.map(({ name, branch }) => (
        <option key={name} value={name}>
          {branch ? `${name} (branch)` : name}
        </option>
      ))}
    </select>
  );
}
