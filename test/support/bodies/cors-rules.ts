import { expect } from 'vitest';
import type { ServiceClient } from '../clients/service-client.js';

/** A CORS rule. Its lists are joined with commas. */
export interface CorsRule {
  readonly origins: string;
  readonly methods: string;
  readonly allowed: string;
  readonly exposed: string;
  readonly maxAge: number;
}

/** Replaces the rules of the account. Default fields: GET, any origin, no headers, no age. */
export async function setCorsRules(client: ServiceClient, rules: readonly Partial<CorsRule>[]): Promise<void> {
  const body = `<StorageServiceProperties><Cors>${rules.map(writeRule).join('')}</Cors></StorageServiceProperties>`;
  const answer = await client.put('/?restype=service&comp=properties', body, {
    accept: 'application/xml',
    headers: { 'Content-Type': 'application/xml' },
  });
  expect(answer.status, answer.body).toBe(202);
}

function writeRule({
  origins = '*',
  methods = 'GET',
  allowed = '',
  exposed = '',
  maxAge = 0,
}: Partial<CorsRule>): string {
  return (
    `<CorsRule><AllowedMethods>${methods}</AllowedMethods><AllowedOrigins>${origins}</AllowedOrigins>` +
    `<AllowedHeaders>${allowed}</AllowedHeaders><ExposedHeaders>${exposed}</ExposedHeaders>` +
    `<MaxAgeInSeconds>${maxAge}</MaxAgeInSeconds></CorsRule>`
  );
}
