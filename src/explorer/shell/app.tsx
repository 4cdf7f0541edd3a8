import { hrefOf, route } from '../model/route.js';
import { account, session } from '../model/session.js';
import { Ask } from '../parts/dialog.js';
import { Empty } from '../parts/list.js';
import { isConnected } from '../wire/connection.js';
import { needsToken } from '../wire/control-client.js';
import { Bar } from './bar.js';
import { ConditionsBar } from './conditions-bar.js';
import { KeyList } from './keys.js';
import { Notices } from './notices.js';
import { type Tab, TabContent } from './tabs.js';
import { TokenForm } from './token-form.js';

/** The whole page, with the tabs in the order of their bar. */
export function App({ tabs }: { readonly tabs: readonly Tab[] }) {
  return (
    <>
      <Bar tabs={tabs} />
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
  return isConnected.value ? null : <main id="content" tabIndex={-1} />;
}

/** Shown for the address of an account or branch that the server does not have, such as a branch that has ended. */
function NoAccount() {
  return (
    <main id="content" tabIndex={-1}>
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
