import { sendToAccount } from '../model/service.js';
import { Section } from '../parts/section.js';
import { readRules, writeRules } from './documents.js';
import { Items } from './items.js';

const path = '/?restype=service&comp=properties';

/** The CORS rules of the account: which web pages may call its tables. */
export function CorsSection({ account }: { readonly account: string }) {
  return (
    <Section
      title="CORS rules"
      about="Which web pages may call the tables of this account, as in the properties of the service. Without a rule, none may."
    >
      <Items
        noun="rule"
        fields={[
          { name: 'AllowedOrigins', label: 'Origins', placeholder: 'http://localhost:3000', isRequired: true },
          { name: 'AllowedMethods', label: 'Methods', placeholder: 'GET,PUT', isRequired: true },
          { name: 'AllowedHeaders', label: 'Headers', placeholder: 'x-ms-*' },
          { name: 'ExposedHeaders', label: 'Exposed headers', placeholder: 'x-ms-*' },
          { name: 'MaxAgeInSeconds', label: 'Seconds', placeholder: '60', write: (text) => text || '0' },
        ]}
        read={async () => readRules(await (await sendToAccount(account, path, { headers: xml })).text())}
        replace={async (rules) => {
          const headers = { ...xml, 'Content-Type': 'application/xml' };
          await sendToAccount(account, path, { method: 'PUT', body: writeRules(rules), headers });
        }}
      />
    </Section>
  );
}

const xml = { Accept: 'application/xml' };
