import { useSignal } from '@preact/signals';
import { type ComponentChildren, render } from 'preact';
import { useEffect } from 'preact/hooks';
import { activeFaults, clock, isClockChanged, isMemoryFull, reconnect, startConditions } from './model/conditions.js';
import { areStored, draftId, hrefOfDraft, startDrafts, unsaved } from './model/drafts.js';
import { areKeysRejected, readAsFromNotice, reader, startIdentities } from './model/identities.js';
import { closeNotice, keepActions, type Notice, notices, showError, spoken } from './model/notices.js';
import { startTheme, theme, turnTheme } from './model/preferences.js';
import { go, hrefOf, route, startRoute } from './model/route.js';
import { account, mayChange, renewSession, session, startSession } from './model/session.js';
import { Ask } from './parts/dialog.js';
import { onFields } from './parts/form.js';
import { Icon, IconButton } from './parts/icon.js';
import { Empty } from './parts/list.js';
import { isKeyListOpen, KeyList, startShortcuts } from './shell/keys.js';
import { type Tab, TabBar, TabContent } from './shell/tabs.js';
import { isConnected, lostSince } from './wire/connection.js';
import { keepToken, needsToken } from './wire/control-client.js';

/** The tabs in their order. A new one is a row here and a folder, whose `tab.tsx` exports the component as default. */
const tabs: readonly Tab[] = [
  { name: 'data', label: 'Data', key: 'd', load: () => import('./data/tab.js') },
  { name: 'requests', label: 'Requests', key: 'r', load: () => import('./requests/tab.js') },
  { name: 'coach', label: 'Coach', key: 'c', load: () => import('./coach/tab.js') },
  { name: 'state', label: 'State', key: 's', load: () => import('./state/tab.js') },
  { name: 'connect', label: 'Connect', key: 'n', load: () => import('./connect/tab.js') },
];

startShortcuts(tabs);
startTheme();
startRoute();
startSession();
startConditions();
startIdentities();
startDrafts();
render(<App tabs={tabs} />, document.body);

/** The whole page, with the tabs in the order of their bar. */
function App({ tabs }: { readonly tabs: readonly Tab[] }) {
  return (
    <>
      <Header tabs={tabs} />
      <ConditionsBar />
      <Notices />
      <Content tabs={tabs} />
      <KeyList tabs={tabs} />
      <Ask />
    </>
  );
}

function Content({ tabs }: { readonly tabs: readonly Tab[] }) {
  if (needsToken.value) return <TokenForm />;
  if (session.value) return account.value ? <TabContent tabs={tabs} /> : <NoAccount />;
  return isConnected.value ? null : <main id="content" class="centered" tabIndex={-1} />;
}

/** Unusual conditions, on every tab: a server that does not answer, text that is not saved, active fault rules, a changed clock, and an identity that reads the tables. */
function ConditionsBar() {
  const count = activeFaults.value.length;
  const isAsIdentity = reader.value !== undefined;
  const isUnsaved = unsaved.value.length > 0;
  const isUsual = count === 0 && !isClockChanged.value && !isMemoryFull.value && !isAsIdentity;
  if (isUsual && !isUnsaved && isConnected.value) return null;
  return (
    <aside class="conditions line" aria-label="Not as usual">
      {isMemoryFull.value && (
        <span class="pair">
          <Icon name="warning" />
          The memory of the server is full: writes are rejected. Delete tables or entities, or keep the data in a folder
          with --location
        </span>
      )}
      {lostSince.value !== undefined && (
        <span class="pair">
          <Icon name="error" />
          Not connected since {new Date(lostSince.value).toLocaleTimeString('en-GB')}: the server does not answer
          <button type="button" onClick={() => void reconnect().catch(showError)}>
            Try now
          </button>
        </span>
      )}
      {isUnsaved && (
        <span class="pair">
          <b>{areStored.value ? 'Not saved:' : 'Not saved, and lost by a reload:'}</b>
          {unsaved.value.slice(0, 5).map((draft) => (
            <a key={draftId(draft)} class="cut" href={hrefOfDraft(draft)}>
              {draft.table} {draft.loaded ? `${draft.partitionKey} / ${draft.rowKey}` : 'new entity'}
            </a>
          ))}
          {unsaved.value.length > 5 && ` and ${unsaved.value.length - 5} more`}
        </span>
      )}
      {count > 0 && (
        <span class="pair">
          <Icon name="warning" />
          {count === 1 ? '1 fault rule is active' : `${count} fault rules are active`}
        </span>
      )}
      {isClockChanged.value && clock.value && (
        <span class="pair">
          <Icon name="warning" />
          {clock.value.frozen ? `The clock is frozen at ${clock.value.now}` : 'The clock is ahead of real time'}
        </span>
      )}
      {(count > 0 || isClockChanged.value) && <a href={hrefOf({ tab: 'state', item: undefined })}>Show</a>}
      {isAsIdentity && (
        <span>
          Tables are read as <b>{reader.value}</b>
        </span>
      )}
      {isAsIdentity && !areKeysRejected.value && (
        <button type="button" onClick={() => readAsFromNotice(undefined)}>
          Read with the account key
        </button>
      )}
    </aside>
  );
}

/** Shown for the address of an account or branch that the server does not have, such as a branch that has ended. */
function NoAccount() {
  return (
    <main id="content" class="centered" tabIndex={-1}>
      <Empty title={`There is no account ${route.value.account ?? ''}`}>
        <p>A branch ends at its time, or when its program deletes it. What you typed for it stays under “Not saved”.</p>
        <p class="line">
          {session.value?.accounts.map(({ name }) => (
            <a key={name} href={hrefOf({ account: name, item: undefined })}>
              {name}
            </a>
          ))}
        </p>
      </Empty>
    </main>
  );
}

/** Asks the user for the token of the server. */
function TokenForm() {
  const isTokenWrong = useSignal(false);
  return (
    <main class="centered">
      <form
        class="card"
        onSubmit={onFields((textOf) => {
          isTokenWrong.value = false;
          keepToken(textOf('token'));
          void renewSession().then(() => (isTokenWrong.value = needsToken.value));
        })}
      >
        <h1>This server requires a token</h1>
        <p>
          It was printed when the server started, or it is in <code>TABULARIUM_ADMIN_TOKEN</code>. The page keeps it
          until this tab of the browser is closed.
        </p>
        <label>
          Token
          <input name="token" type="password" required autocomplete="off" autofocus aria-describedby="wrong-token" />
        </label>
        <p id="wrong-token" class="fault" role="alert">
          {isTokenWrong.value && 'The server does not accept this token.'}
        </p>
        <button type="submit" class="primary">
          Continue
        </button>
      </form>
    </main>
  );
}

/** The bar at the top: account or branch, tabs, keys, theme. */
function Header({ tabs }: { readonly tabs: readonly Tab[] }) {
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

/** Chooses an account or a branch, which is an account, too. */
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
      {!account.value && <option value="">No account</option>}
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

/** The notices above the content, and the live region for screen readers. */
function Notices(): ComponentChildren {
  const { tab } = route.value;
  useEffect(() => keepActions, [tab]);
  return (
    <>
      <div class="unseen" role="status" aria-live="polite">
        {spoken.value}
      </div>
      <section class="notices" aria-label="Notices">
        {notices.value.map((notice) => (
          <NoticeLine key={notice.id} notice={notice} />
        ))}
      </section>
    </>
  );
}

function NoticeLine({ notice: { id, kind, text, action } }: { readonly notice: Notice }) {
  return (
    <div class={`notice line ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      <Icon name={kind === 'error' ? 'error' : 'check'} />
      <span>{text}</span>
      {action && (
        <button
          type="button"
          onClick={() => {
            closeNotice(id);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <IconButton icon="close" label="Close the notice" onClick={() => closeNotice(id)} />
    </div>
  );
}
