/** The text for a fault of the query string or the path. Source: cosmos 8. */
export const invalidUrl = 'Request url is invalid.';

/** Where the documentation of the service explains what it refuses. */
const reference = 'https://docs.microsoft.com/en-us/rest/api/storageservices';

/** The text for a batch whose envelope cannot be read. Source: cosmos 15.10; cosmos 15.16. */
export const malformedBatch = `The batch request body is malformed. Please see ${reference}/performing-entity-group-transactions`;

const refusedScript = {
  message: JSON.stringify({
    Errors: [
      'Requests originating from scripts cannot reference partition keys other than the one for which client request was submitted.',
    ],
  }),
  number: 412,
};

/**
 * The text for a change set with several partition keys, which the service executes as a script. The stack trace of the service is
 * not known. Source: cosmos 15.20.
 */
export const failedScript = `Message: ${JSON.stringify({
  Errors: [
    `Encountered exception while executing function. Exception = Error: OperationCount:0.\n${JSON.stringify(refusedScript)}\r\nStack trace: (shortened)`,
  ],
})}`;

/** Returns the text for the name of a property that no property may have. Source: cosmos 15.5. */
export function invalidPropertyName(name: string): string {
  return `The property name '${name}' is invalid. See ${reference}/Understanding-the-Table-Service-Data-Model`;
}

/** Returns the text for a signature that is not of the text that the service signs. Source: cosmos 15.9. */
export function wrongSignature(signed: string): string {
  return (
    "The input authorization token can't serve the request. Please check that the expected payload is built as per the protocol, " +
    `and check the key being used. Server used the following payload to sign: '${signed}'`
  );
}

/** The text for credentials that the service cannot read, and for bearer tokens that it does not accept. Source: cosmos 15.17. */
export const unreadableCredentials =
  "Authorization header doesn't confirm to the required format. Please verify and try again.";

/** Returns the text for a character that no name of a table may have. Source: cosmos 15.11. */
export function invalidInTableName(character: string): string {
  return `The table name contains an invalid character ${character}.`;
}

/** The text for the name of a table that is too long. Source: cosmos 15.11. */
export const longTableName = `Message: ${JSON.stringify({
  Errors: [
    "The input name is invalid. Ensure to provide a unique non-empty string less than '255' characters.",
    'The request payload is invalid. Ensure to provide a valid request payload.',
  ],
})}`;
