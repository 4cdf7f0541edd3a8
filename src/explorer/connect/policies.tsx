import { signal } from '@preact/signals';
import { Section } from '../parts/section.js';
import { server } from '../wire/control-client.js';
import { sendRequest } from '../wire/table-client.js';
import { type Item, readPolicies, writePolicies } from './documents.js';
import { Items } from './items.js';

/** The table whose policies are shown and may be signed; empty for the whole account, which has none. */
export const signedTable = signal('');

/** The policies of that table. */
export const policies = signal<readonly Item[]>([]);

/** The stored access policies of the chosen table. */
export function PolicySection({ account }: { readonly account: string }) {
  const table = signedTable.value;
  const about =
    table === ''
      ? 'A policy belongs to a table: choose one above.'
      : `Signatures that name a policy of ${table} take its fields, and end with it. A table has up to five.`;
  return (
    <Section title="Stored access policies" about={about}>
      {table !== '' && (
        <Items
          key={table}
          noun="policy"
          fields={[
            { name: 'Id', label: 'Name', isRequired: true },
            { name: 'Permission', label: 'Permissions', placeholder: 'raud' },
            { name: 'Start', label: 'Start', placeholder: '2030-01-31T12:00:00Z' },
            { name: 'Expiry', label: 'Expiry', placeholder: '2030-12-31T12:00:00Z' },
          ]}
          read={async () => readPolicies(await (await sendAsOwner(account, table)).text())}
          replace={async (items) => void (await sendAsOwner(account, table, writePolicies(items)))}
          onItems={(items) => (policies.value = items)}
        />
      )}
    </Section>
  );
}

/** Reads the policies of a table, or replaces them by a body. Only the owner may, so the server signs the request. */
async function sendAsOwner(account: string, table: string, body?: string): Promise<Response> {
  const { date, authorization } = await server.policies.sign({ account, table });
  return sendRequest(account, { signature: '', token: undefined }, `/${table}?comp=acl`, {
    ...(body !== undefined && { method: 'PUT', body }),
    headers: {
      ...{ Accept: 'application/xml', 'Content-Type': 'application/xml' },
      ...{ 'x-ms-date': date, Authorization: authorization },
    },
  });
}
