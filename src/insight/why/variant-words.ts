import type { ErrorVariant } from '../../protocol/errors.js';
import { tableNameLengthMax, tableNameLengthMin } from '../../protocol/limits.js';
import type { Explanation } from './explanation.js';

type Words = Pick<Explanation, 'text' | 'advice'>;

const nameLength: Words = {
  text: `The name of the table has fewer than ${tableNameLengthMin} or more than ${tableNameLengthMax} characters.`,
};

/** Returns what a case of an error means, in the words of a developer; undefined if the code alone says it. */
export function wordsOfVariant(variant: ErrorVariant): Words | undefined {
  switch (variant.name) {
    case 'account-unknown':
      return {
        text: 'The server has no account of this name.',
        advice: `Its accounts are: ${variant.accounts.join(', ')}. Compare with the path or the host of the URL.`,
      };
    case 'host-not-allowed':
      return { text: 'A browser may not use this host.', advice: variant.advice };
    case 'path-syntax':
    case 'key-count':
      return {
        text: 'The keys in the path cannot be read.',
        advice:
          "Write them as strings in single quotes, with a quote doubled and a percent sign as %25: (PartitionKey='p',RowKey='O''Hara').",
      };
    case 'path-without-table':
      return {
        text: 'The path has keys, and no table before them.',
        advice: "Write Table(PartitionKey='p',RowKey='r').",
      };
    case 'path-name-length':
    case 'table-name-length':
      return nameLength;
    case 'table-name-too-long':
      return { text: `The name of the table has ${variant.table.length} characters, which are too many.` };
    case 'table-name-character':
      return { text: `The name of the table has ${variant.character}, which is not allowed.` };
    case 'table-name-reserved':
      return { text: "No table can have the name 'Tables'." };
    case 'comp-unknown':
      return {
        text: 'The service does not have this combination of comp, restype and verb.',
        advice: 'Service properties need restype=service&comp=properties, access policies comp=acl.',
      };
    case 'xml-not-accepted':
      return { text: 'The answer is XML, and Accept does not allow it.', advice: 'Accept application/xml.' };
    case 'preflight-header-missing':
      return { text: 'A preflight needs the headers Origin and Access-Control-Request-Method.' };
    case 'etag-malformed':
      return {
        text: `${variant.etag} is not an ETag of the service.`,
        advice: 'Send If-Match with one ETag as the service returned it, with W/ and its quotes, or with *.',
      };
    case 'if-none-match':
      return {
        text: 'Writes do not take If-None-Match.',
        advice: 'Use Insert Entity to write only if the entity does not exist.',
      };
    case 'policy-field-repeated':
      return {
        text: 'The signature has a field that its stored access policy has, too.',
        advice: 'Give start, expiry and permissions in one of both places.',
      };
    case 'operation-empty':
      return { text: 'An operation of the transaction has no request.' };
    case 'batch-malformed':
      return {
        text: 'The body of the transaction is not the multipart message that Content-Type names.',
        advice:
          'Write the boundary of Content-Type before each part, one empty line after its headers, and CRLF at line ends.',
      };
    case 'changes-too-many':
      return {
        text: `The transaction has more than ${variant.max} operations.`,
        advice: `Split it into transactions of at most ${variant.max}.`,
      };
    case 'partition-keys':
      return {
        text: 'The operations of the transaction have different PartitionKeys.',
        advice: 'Send one transaction for each PartitionKey.',
      };
    default:
      return undefined;
  }
}
