import { keepToken, needsToken } from '../client/control-client.js';
import { activeFaults, clock, isClockChanged, isMemoryFull } from '../model/conditions.js';
import { areKeysRefused, readAsFromNotice, reader } from '../model/identities.js';
import { hrefOf } from '../model/route.js';
import { renewSession, session } from '../model/session.js';
import { Ask } from '../parts/dialog.js';
import { onFields } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { Header } from './header.js';
import { KeyList } from './keys.js';
import { Notices } from './notices.js';
import { type Tab, TabContent } from './tabs.js';

/** The whole page, with the tabs in the order of their bar. */
export function App({ tabs }: { readonly tabs: readonly Tab[] }) {
  return (
    <>
      <Header tabs={tabs} />
      <ConditionsBar />
      <Notices />
      {needsToken.value ? <TokenForm /> : session.value && <TabContent tabs={tabs} />}
      <KeyList tabs={tabs} />
      <Ask />
    </>
  );
}

/** Unusual conditions, on every tab: active fault rules, a changed clock, and an identity that reads the tables. */
function ConditionsBar() {
  const count = activeFaults.value.length;
  const isAsIdentity = reader.value !== undefined;
  if (count === 0 && !isClockChanged.value && !isMemoryFull.value && !isAsIdentity) return null;
  return (
    <aside class="conditions line" aria-label="Not as usual">
      {isMemoryFull.value && (
        <span class="pair">
          <Icon name="warning" />
          The memory of the server is full: writes are rejected. Delete tables or entities, or keep the data in a folder
          with --location
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
      {isAsIdentity && !areKeysRefused.value && (
        <button type="button" onClick={() => readAsFromNotice(undefined)}>
          Read with the account key
        </button>
      )}
    </aside>
  );
}

/** Asks the user for the token of the server. */
function TokenForm() {
  return (
    <main class="centered">
      <form
        class="card"
        onSubmit={onFields((textOf) => {
          keepToken(textOf('token'));
          void renewSession();
        })}
      >
        <h1>This server requires a token</h1>
        <p>
          It was printed when the server started, or it is in <code>TABULARIUM_ADMIN_TOKEN</code>. The page keeps it
          until this tab of the browser is closed.
        </p>
        <label>
          Token
          <input name="token" type="password" required autocomplete="off" autofocus />
        </label>
        <button type="submit" class="primary">
          Continue
        </button>
      </form>
    </main>
  );
}
