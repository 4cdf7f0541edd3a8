import type { ErrorVariant } from '../../protocol/errors.js';
import type { Explanation } from '../../protocol/explanation.js';
import { tableNameLengthMax, tableNameLengthMin } from '../../protocol/limits.js';

type Words = Pick<Explanation, 'text' | 'advice'>;

const nameLength: Words = {
  text: `The name of the table has fewer than ${tableNameLengthMin} or more than ${tableNameLengthMax} characters.`,
};

/** Returns what a case of an error means, in the words of a developer; undefined if the code alone says it. */
export function wordsOfVariant(variant: ErrorVariant): Words | undefined {
  switch (variant.name) {
    case 'account-unknown':
      return {
        text: 'The server has no account with this name.',
        advice: `Its accounts are: ${variant.accounts.join(', ')}. Check the path or the host of the URL.`,
      };
    case 'host-not-allowed':
      return { text: 'A browser may not use this host.', advice: variant.advice };
    case 'path-control-character':
      return {
        text: 'The path has a control character, which the web server in front of the service rejects.',
        advice:
          'Leave control characters out of keys and names. In a transaction, keys in addresses may not have them either.',
      };
    case 'target-too-long':
      return {
        text: `The address is longer than ${variant.max} bytes. The service accepts about half of that.`,
        advice: 'Shorten the filter, split it into several queries, or send the entities in a transaction.',
      };
    case 'content-type-missing':
      return { text: 'The request has no Content-Type.', advice: 'Send Content-Type: application/json.' };
    case 'path-syntax':
    case 'key-count':
      return {
        text: 'The keys in the path are malformed.',
        advice:
          "Write them as strings in single quotes, doubling quotes and encoding percent signs as %25: (PartitionKey='p',RowKey='O''Hara').",
      };
    case 'path-string-unterminated':
    case 'path-character':
      return {
        text: `The keys in the path are malformed: a quote in a key is not doubled in ${variant.text}.`,
        advice: "Double the quote: 'O''Hara'.",
      };
    case 'path-without-table':
      return {
        text: 'The path contains keys without a table.',
        advice: "Write Table(PartitionKey='p',RowKey='r').",
      };
    case 'path-name-length':
    case 'table-name-length':
      return nameLength;
    case 'table-name-too-long':
      return { text: `The table name has ${variant.table.length} characters, which is too many.` };
    case 'table-name-character':
      return { text: `The name of the table has ${variant.character}, which is not allowed.` };
    case 'table-name-reserved':
      return { text: "No table can have the name 'Tables'." };
    case 'comp-unknown':
      return {
        text: 'The service does not support this combination of comp, restype and verb.',
        advice: 'Service properties need restype=service&comp=properties, access policies comp=acl.',
      };
    case 'xml-not-accepted':
      return { text: 'The response is XML, which Accept does not allow.', advice: 'Accept application/xml.' };
    case 'preflight-header-missing':
      return { text: 'A preflight request needs the headers Origin and Access-Control-Request-Method.' };
    case 'etag-malformed':
      return {
        text: `${variant.etag} is not a valid ETag.`,
        advice: 'Send an ETag in If-Match exactly as the service returned it, including W/ and the quotes, or send *.',
      };
    case 'if-none-match':
      return {
        text: 'Writes do not support If-None-Match.',
        advice: 'Use Insert Entity to write only if the entity does not exist.',
      };
    case 'policy-field-repeated':
      return {
        text: 'The signature repeats a field of its stored access policy.',
        advice: 'Set start, expiry and permissions in only one of the two.',
      };
    case 'operation-empty':
      return { text: 'An operation in the transaction has no request.' };
    case 'batch-malformed':
      return {
        text: 'The transaction body is not the multipart message described by Content-Type.',
        advice:
          'Start each part with the boundary from Content-Type, put an empty line after its headers, and end lines with CRLF.',
      };
    case 'changes-too-many':
      return {
        text: `The transaction has more than ${variant.max} operations.`,
        advice: `Split it into transactions of at most ${variant.max}.`,
      };
    case 'partition-keys':
      return {
        text: 'The operations in the transaction have different PartitionKeys.',
        advice: 'Send one transaction per PartitionKey.',
      };
    default:
      return undefined;
  }
}
