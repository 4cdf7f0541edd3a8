import type { SessionAccount } from '../../client/calls.js';
import { developmentAccount } from '../../protocol/access/accounts.js';
import { tableAddress, writeConnectionString } from '../../protocol/access/connection-string.js';
import { clock } from '../model/conditions.js';
import { session } from '../model/session.js';
import { countOf } from '../parts/list.js';
import { CopiedFields, Section, showTime } from '../parts/section.js';
import { serverRoot } from '../wire/host.js';

/** Returns scheme, host and port of this server, as programs on this machine use it: SDKs take localhost for Cosmos DB. */
export function ownRoot(): string {
  return serverRoot.replace(/\/\/localhost(?=:|$)/, '//127.0.0.1');
}

/** Returns a connection string with a signature instead of a key. */
export function signedString(shown: SessionAccount, sas: string): string {
  return `TableEndpoint=${tableAddress(ownRoot(), shown)};SharedAccessSignature=${sas}`;
}

/** The connection strings of the account. */
export function Strings({ shown }: { readonly shown: SessionAccount }) {
  const { protocol, port } = new URL(serverRoot);
  const inContainer = `${protocol}//host.docker.internal${port === '' ? '' : `:${port}`}`;
  return (
    <Section title={shown.name}>
      <CopiedFields
        fields={[
          ['Connection string', stringOf(ownRoot(), shown), 'the connection string'],
          ['From a container on this machine', stringOf(inContainer, shown), 'the connection string for containers'],
          [`With a signature, ${validity()}`, signedString(shown, shown.sas), 'the connection string with a signature'],
        ]}
      />
      {session.value?.isLoopbackOnly && (
        <p>
          The server listens on this machine only. On Linux, containers cannot reach it: restart it with{' '}
          <code>--tableHost 0.0.0.0</code>.
        </p>
      )}
      {shown.branch && (
        <p>This is a branch. It ends at {showTime(shown.branch.expires)}. Its key was shown once, when it was made.</p>
      )}
    </Section>
  );
}

/** How long the signature of the page is valid, by the clock of the server. The page renews it in time. */
function validity(): string {
  const { expires } = session.value ?? {};
  if (expires === undefined || !clock.value) return 'valid for a limited time';
  const minutes = Math.floor((Date.parse(expires) - Date.parse(clock.value.now)) / 60_000);
  return `valid for ${countOf(Math.max(0, minutes), 'more minute')}, until ${showTime(expires)} by the clock of the server`;
}

/** The page never receives a key. It knows only the one built into every SDK. */
function stringOf(root: string, { name, dialect }: SessionAccount): string {
  const keys = name === developmentAccount.name ? developmentAccount.keys : ['<key>'];
  return writeConnectionString(root, { name, keys, ...(dialect && { dialect }) });
}
