import { needsToken } from '../client/control-client.js';
import { Ask } from '../parts/ask.js';
import { ConditionsBar } from './conditions-bar.js';
import { Header } from './header.js';
import { KeyList } from './keys/key-list.js';
import { Notices } from './notices.js';
import { session } from './session.js';
import { TabContent } from './tabs.js';
import { TokenForm } from './token-form.js';

/** The whole page. */
export function App() {
  return (
    <>
      <Header />
      <ConditionsBar />
      <Notices />
      {needsToken.value ? <TokenForm /> : session.value && <TabContent />}
      <KeyList />
      <Ask />
    </>
  );
}
