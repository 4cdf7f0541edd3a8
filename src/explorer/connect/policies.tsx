import { signal } from '@preact/signals';
import { sendToAccount } from '../model/service.js';
import { Section } from '../parts/section.js';
import { server } from '../wire/control-client.js';
import { sendRequest } from '../wire/table-client.js';
import { type Item, writePolicies, writeRules } from './documents.js';
import { type Field, Items } from './items.js';

/** The table whose policies are shown and may be signed; empty for the whole account, which has none. */
export const signedTable = signal('');

/** The policies of that table. */
export const policies = signal<readonly Item[]>([]);

const policyFields: readonly Field[] = [
  ['Id', 'Name'],
  ['Permission', 'Permissions', 'raud'],
  ['Start', 'Start', '2030-01-31T12:00:00Z'],
  ['Expiry', 'Expiry', '2030-12-31T12:00:00Z'],
];

const xml = { Accept: 'application/xml', 'Content-Type': 'application/xml' };

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
          element="SignedIdentifier"
          fields={policyFields}
          required={1}
          send={(body) => sendAsOwner(account, table, body)}
          write={writePolicies}
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
    headers: { ...xml, 'x-ms-date': date, Authorization: authorization },
  });
}

const ruleFields: readonly Field[] = [
  ['AllowedOrigins', 'Origins', 'http://localhost:3000'],
  ['AllowedMethods', 'Methods', 'GET,PUT'],
  ['AllowedHeaders', 'Headers', 'x-ms-*'],
  ['ExposedHeaders', 'Exposed headers', 'x-ms-*'],
  ['MaxAgeInSeconds', 'Seconds', '60'],
];

/** The CORS rules of the account: which web pages may call its tables. */
export function CorsSection({ account }: { readonly account: string }) {
  const send = (body?: string) =>
    sendToAccount(account, '/?restype=service&comp=properties', {
      ...(body !== undefined && { method: 'PUT', body }),
      headers: xml,
    });
  return (
    <Section
      title="CORS rules"
      about="Which web pages may call the tables of this account, as in the properties of the service. Without a rule, none may."
    >
      <Items noun="rule" element="CorsRule" fields={ruleFields} required={2} send={send} write={writeRules} />
    </Section>
  );
}
