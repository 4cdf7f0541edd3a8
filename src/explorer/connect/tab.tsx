import { mayEdit } from '../model/identities.js';
import { account } from '../model/session.js';
import { Code } from './code.js';
import { Identities } from './identities.js';
import { CorsSection, PolicySection } from './policies.js';
import { SignatureSection } from './signature.js';
import { Strings } from './strings.js';

/** The tab Connect: connection strings, signatures and code for programs that use the current account. */
export default function ConnectTab() {
  const shown = account.value;
  if (!shown) return null;
  // At Cosmos DB, there are neither account signatures nor policies.
  const maySign = mayEdit.value && shown.dialect !== 'cosmos';
  return (
    <div class="columns" key={shown.name}>
      <div>
        <Strings shown={shown} />
        <Code />
      </div>
      <div>
        {maySign && (
          <>
            <SignatureSection shown={shown} />
            <PolicySection account={shown.name} />
            <CorsSection account={shown.name} />
          </>
        )}
        <Identities />
      </div>
    </div>
  );
}
