import { commandLine } from '../../command-line.js';
import { portOf } from '../../protocol/access/connection-string.js';
import { mayEdit } from '../model/identities.js';
import { account } from '../model/session.js';
import { CopiedText } from '../parts/copy.js';
import { Section, Thing, Things } from '../parts/section.js';
import { Code } from './code.js';
import { CorsSection } from './cors.js';
import { Identities } from './identities.js';
import { PolicySection } from './policies.js';
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
      <Things label="Commands that help">
        <Thing>
          <CopiedText text={commandLine(`doctor --tablePort ${portOf(url)}`)} label="the command" /> checks data,
          accounts, ports and certificates.
        </Thing>
        <Thing>
          <CopiedText text={commandLine('requests --follow', url)} label="the command" /> shows each request, and why it
          was rejected. The tab Requests shows the same.
        </Thing>
        <Thing>
          <CopiedText text={commandLine('why REQUEST-ID', url)} label="the command" /> explains one answer by its
          x-ms-request-id.
        </Thing>
      </Things>
    </Section>
  );
}
