import { commandLine } from '../../command-line.js';
import { portOf } from '../../protocol/access/connection-string.js';
import { mayEdit } from '../model/identities.js';
import { account } from '../model/session.js';
import { CopiedFields, Section } from '../parts/section.js';
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
        <Checks />
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

function Checks() {
  const url = location.origin;
  return (
    <Section title="Troubleshooting">
      <CopiedFields
        fields={[
          ['Data, accounts, ports, certificates', commandLine(`doctor --tablePort ${portOf(url)}`), 'the check'],
          ['Each request, and why it was rejected', commandLine('requests --follow', url), 'the list of requests'],
          ['An answer, by its x-ms-request-id', commandLine('why REQUEST-ID', url), 'the explanation'],
        ]}
      />
    </Section>
  );
}
