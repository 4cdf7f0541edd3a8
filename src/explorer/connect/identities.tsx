import { useEffect } from 'preact/hooks';
import type { IdentitySummary } from '../../client/calls.js';
import { commandLine } from '../../command-line.js';
import { areKeysRejected, canReadAs, identities, loadIdentities, readAs, reader } from '../model/identities.js';
import { showError } from '../model/notices.js';
import { session } from '../model/session.js';
import { CopiedText } from '../parts/copy.js';
import { Section } from '../parts/section.js';

/** The identities of the server: their roles, the commands that run a program as one, and a button to read as it. */
export function Identities() {
  useEffect(() => {
    // A changed file takes effect at once.
    if (session.value?.keys !== undefined) loadIdentities().catch(showError);
  }, []);
  if (session.value?.keys === undefined || !identities.value) return null;
  return (
    <Section
      title="Identities"
      about={
        <>
          Programs with <code>DefaultAzureCredential</code> need no key. The first line starts a server and the program;
          the second prints the variables of a program that asks this server. It must also trust the certificate of the
          server.
          {areKeysRejected.value && ' This server rejects keys.'}
        </>
      }
    >
      <ul class="things identities">
        {identities.value.map((identity) => (
          <Identity key={identity.name} identity={identity} />
        ))}
      </ul>
    </Section>
  );
}

/** One identity. Its name needs no quoting in any shell: the file of identities allows no others. */
function Identity({ identity: { name, roles, clientId } }: { readonly identity: IdentitySummary }) {
  const isReader = reader.value === name;
  return (
    <li>
      <header class="line">
        <h3>{name}</h3>
        {canReadAs.value && (
          <button type="button" aria-pressed={isReader} onClick={() => readAs(isReader ? undefined : name)}>
            Read as {name}
          </button>
        )}
      </header>
      <span class="roles line">
        {roles.length === 0 && <span class="mark">no role</span>}
        {roles.map(({ role, account, table }) => (
          <span class="mark" key={`${role} ${account} ${table}`}>
            {role}
            {account !== undefined && ` on ${table === undefined ? account : `the table ${table} of ${account}`}`}
          </span>
        ))}
      </span>
      <CopiedText
        text={commandLine(`exec --identity identities.json --as ${name} -- npm test`)}
        label={`the command that runs a program as ${name}`}
      />
      <CopiedText
        text={commandLine(`identity environment ${name}`, location.origin)}
        label={`the command that prints the variables of ${name}`}
      />
      <span class="small">Client ID {clientId}</span>
    </li>
  );
}
