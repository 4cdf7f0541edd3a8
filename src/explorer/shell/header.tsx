import { theme, turnTheme } from '../model/preferences.js';
import { go } from '../model/route.js';
import { account, mayChange, session } from '../model/session.js';
import { Icon, IconButton } from '../parts/icon.js';
import { isKeyListOpen } from './keys.js';
import { type Tab, TabBar } from './tabs.js';

/** The bar at the top: account or branch, tabs, keys, theme. */
export function Header({ tabs }: { readonly tabs: readonly Tab[] }) {
  return (
    <header class="bar line">
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        Skip to the content
      </button>
      <span class="brand">
        <Icon name="logo" />
        Tabularium
      </span>
      <AccountChoice />
      <TabBar tabs={tabs} />
      <span class="space" />
      {session.value && !mayChange.value && <span class="mark">read only</span>}
      <IconButton icon="help" label="Keys" onClick={() => (isKeyListOpen.value = true)} />
      <IconButton
        icon={theme.value === 'dark' ? 'moon' : theme.value === 'light' ? 'sun' : 'contrast'}
        label={`Theme: ${theme.value}`}
        onClick={turnTheme}
      />
    </header>
  );
}

/** Accounts and branches are chosen in one place, because a branch is an account. */
function AccountChoice() {
  const accounts = session.value?.accounts ?? [];
  const branches = accounts.filter(({ branch }) => branch);
  return (
    <select
      class="account"
      aria-label="Account or branch"
      value={account.value?.name ?? ''}
      onChange={({ currentTarget }) => go({ account: currentTarget.value, item: undefined })}
    >
      <optgroup label="Accounts">
        {accounts
          .filter(({ branch }) => !branch)
          .map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
      </optgroup>
      {branches.length > 0 && (
        <optgroup label="Branches">
          {branches.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </optgroup>
      )}
    </select>
  );
}
