import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { IdentitySummary, SessionAccount } from '../../client/calls.js';
import { commandLine } from '../../command-line.js';
import { developmentAccount } from '../../protocol/access/accounts.js';
import {
  connectionStringVariable,
  portOf,
  tableAddress,
  writeConnectionString,
} from '../../protocol/access/connection-string.js';
import { areKeysRejected, canReadAs, identities, loadIdentities, readAs, reader } from '../model/identities.js';
import { showError } from '../model/notices.js';
import { account, session } from '../model/session.js';
import { CopiedText } from '../parts/copy.js';
import { type SnippetLanguage, snippets } from './snippets.js';

/** The language whose lines are shown. */
const language = signal<SnippetLanguage>('JavaScript');

/** The tab Connect: connection strings and code for programs that use the current account. */
export default function ConnectTab() {
  const shown = account.value;
  if (!shown) return null;
  const { lines, install } = snippets[language.value];
  return (
    <div class="column">
      <section class="card" aria-labelledby="connect-strings">
        <h2 id="connect-strings">{shown.name}</h2>
        <ConnectionStrings shown={shown} />
      </section>
      <Identities />
      <section class="card" aria-labelledby="connect-code">
        <header class="line">
          <h2 id="connect-code">In a program</h2>
          <select
            aria-label="Language"
            value={language.value}
            onChange={({ currentTarget }) => (language.value = currentTarget.value as SnippetLanguage)}
          >
            {Object.keys(snippets).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </header>
        <CopiedText text={install} label="the command that installs the SDK" />
        <pre class="snippet">{lines}</pre>
        <p>
          The SDKs are unmodified. Only the connection string names this server; put it into the variable{' '}
          <code>{connectionStringVariable}</code>. The command <code>exec</code> sets it, too.
        </p>
      </section>
      <section class="card" aria-labelledby="connect-checks">
        <h2 id="connect-checks">Troubleshooting</h2>
        <ul class="things">
          <li>
            <CopiedText text={commandLine(`doctor --tablePort ${portOf(location.origin)}`)} label="the command" />{' '}
            checks data, accounts, ports and certificates.
          </li>
          <li>
            <CopiedText text={commandLine('requests --follow', location.origin)} label="the command" /> shows each
            request, and why it was rejected. The tab Requests shows the same.
          </li>
          <li>
            <CopiedText text={commandLine('why REQUEST-ID', location.origin)} label="the command" /> explains one answer
            by its x-ms-request-id.
          </li>
        </ul>
      </section>
    </div>
  );
}

function ConnectionStrings({ shown }: { readonly shown: SessionAccount }) {
  const { protocol, host, port } = location;
  const root = `${protocol}//${/^localhost(?=:|$)/.test(host) ? host.replace('localhost', '127.0.0.1') : host}`;
  const inContainer = `${protocol}//host.docker.internal${port === '' ? '' : `:${port}`}`;
  const isDevelopment = shown.name === developmentAccount.name;
  return (
    <dl class="strings">
      <dt>{isDevelopment ? 'Connection string' : 'Connection string, without the key'}</dt>
      <dd>
        <CopiedText text={stringOf(root, shown)} label="the connection string" />
      </dd>
      <dt>From a container on this machine</dt>
      <dd>
        <CopiedText text={stringOf(inContainer, shown)} label="the connection string for containers" />
        {session.value?.isLoopbackOnly && (
          <p class="faint">
            The server listens on this machine only. On Linux, containers cannot reach it: restart it with{' '}
            <code>--tableHost 0.0.0.0</code>.
          </p>
        )}
      </dd>
      <dt>With a signature instead of a key, valid for an hour</dt>
      <dd>
        <CopiedText
          text={`TableEndpoint=${tableAddress(root, shown)};SharedAccessSignature=${shown.sas}`}
          label="the connection string with a signature"
        />
      </dd>
      {isDevelopment && port === '10002' && (
        <>
          <dt>Short, for this port of this machine</dt>
          <dd>
            <CopiedText text="UseDevelopmentStorage=true" label="the short connection string" />
          </dd>
        </>
      )}
      {shown.branch && (
        <>
          <dt>This is a branch</dt>
          <dd>
            It ends at {session.value && new Date(shown.branch.expires).toLocaleString('sv')}. Its key was shown once,
            when it was made.
          </dd>
        </>
      )}
    </dl>
  );
}

/** The page never receives a key. It knows only the one built into every SDK. */
function stringOf(root: string, { name, dialect }: SessionAccount): string {
  const keys = name === developmentAccount.name ? developmentAccount.keys : ['<key>'];
  return writeConnectionString(root, { name, keys, ...(dialect && { dialect }) });
}

/** The identities of the server: their roles, the commands that run a program as one, and a button to read as it. */
function Identities() {
  useEffect(() => {
    // A changed file takes effect at once.
    if (session.value?.keys !== undefined) loadIdentities().catch(showError);
  }, []);
  if (session.value?.keys === undefined || !identities.value) return null;
  return (
    <section class="card" aria-labelledby="connect-identities">
      <h2 id="connect-identities">Identities</h2>
      <p>
        Programs with <code>DefaultAzureCredential</code> need no key. The first line starts a server and the program;
        the second prints the variables of a program that asks this server. It must also trust the certificate of the
        server.
        {areKeysRejected.value && ' This server rejects keys.'}
      </p>
      <ul class="things identities">
        {identities.value.map((identity) => (
          <Identity key={identity.name} identity={identity} />
        ))}
      </ul>
    </section>
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
