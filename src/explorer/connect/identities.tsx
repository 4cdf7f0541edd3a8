import { useEffect } from 'preact/hooks';
import type { IdentitySummary } from '../../client/calls.js';
import { commandLine } from '../../command-line.js';
import { areKeysRejected, canReadAs, identities, loadIdentities, readAs, reader } from '../model/identities.js';
import { showError } from '../model/notices.js';
import { session } from '../model/session.js';
import { CopiedText } from '../parts/copy.js';
import { Lines, Section } from '../parts/section.js';
import { serverRoot } from '../wire/host.js';

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
      about={`Programs with DefaultAzureCredential need no key. The first line starts a server and the program; the second prints the variables of a program that asks this server. It must also trust the certificate of the server.${areKeysRejected.value ? ' This server rejects keys.' : ''}`}
    >
      <Lines label="Identities" lines={identities.value.map(lineOf)} />
    </Section>
  );
}

/** One identity. Its name needs no quoting in any shell: the file of identities allows no others. */
function lineOf({ name, roles, clientId }: IdentitySummary) {
  const isReader = reader.value === name;
  const places = roles.map(
    ({ role, account, table }) =>
      role + (account ? ` on ${table === undefined ? account : `the table ${table} of ${account}`}` : ''),
  );
  const run = commandLine(`exec --identity identities.json --as ${name} -- npm test`);
  const print = commandLine(`identity environment ${name}`, serverRoot);
  return {
    key: name,
    name: (
      <>
        <h3>{name}</h3>
        <CopiedText text={run} label={`the command that runs a program as ${name}`} />
        <CopiedText text={print} label={`the command that prints the variables of ${name}`} />
      </>
    ),
    facts: [places.join(', ') || 'no role', `Client ID ${clientId}`],
    actions: canReadAs.value
      ? [{ label: isReader ? 'Read with the key' : `Read as ${name}`, run: () => readAs(isReader ? undefined : name) }]
      : [],
  };
}
