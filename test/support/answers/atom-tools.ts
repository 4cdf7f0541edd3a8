import { expect } from 'vitest';
import type { RequestOptions, ServiceClient } from '../clients/service-client.js';
import type { Answer } from './answer.js';

/** The version of the recordings of clients that write Atom. Later versions reject it. */
export const atomVersion = '2014-02-14';

/** Options of a request by a client that knows only Atom. */
export const inAtom: RequestOptions = {
  version: atomVersion,
  accept: false,
  headers: { 'Content-Type': 'application/atom+xml' },
};

/** The namespaces of a document, as the recorded client declares them. */
export const namespaces =
  'xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" ' +
  'xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" xmlns="http://www.w3.org/2005/Atom"';

/** Writes an entry around properties in XML, as the recorded client writes it. Source: atom 4. */
export function entryOf(properties: string): string {
  return (
    `<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<entry ${namespaces} >\n<title />` +
    '<updated>2015-06-23T00:12:29.177407+00:00</updated><author><name /></author><id />\n' +
    `<content type="application/xml">\n    <m:properties xml:space="preserve">${properties}</m:properties></content></entry>`
  );
}

/** The keys of the entity ('p', 'r') in an entry. */
export const keys = '<d:PartitionKey m:type="Edm.String">p</d:PartitionKey><d:RowKey m:type="Edm.String">r</d:RowKey>';

/** Inserts an entity as an entry. */
export function insertEntry(client: ServiceClient, table: string, properties: string): Promise<Answer> {
  return client.post(`/${table}`, entryOf(keys + properties), inAtom);
}

/** Returns the properties in the entry of an answer, as XML. */
export function propertiesIn({ body, status }: Pick<Answer, 'body' | 'status'>): string {
  expect(status, body).toBeLessThan(300);
  return /<m:properties>([\s\S]*)<\/m:properties>/.exec(body)?.[1] ?? '';
}

/** Returns the custom properties in the entry of an answer, as XML. */
export function customPropertiesIn(answer: Pick<Answer, 'body' | 'status'>): string {
  return propertiesIn(answer).replace(/^[\s\S]*<\/d:Timestamp>/, '');
}
