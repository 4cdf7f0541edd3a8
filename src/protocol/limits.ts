/**
 * Every limit of the Table service. Units and qualifiers come last in the names. "Our choice" marks a limit that the service
 * does not document and this server chose.
 */

/** Maximum number of entities or tables in one answer. Unit: rows. Source: query 6.2. */
export const pageRowsMax = 1000;

/**
 * Size after which a page ends early, with a continuation token. Unit: bytes of JSON. (Our choice: a page of a thousand
 * entities of the largest size would take a gigabyte.)
 */
export const pageBytesMax = 16 * 1024 * 1024;

/** Largest request body. A larger one is answered with RequestBodyTooLarge. Unit: bytes. Source: data-model 8. */
export const bodyBytesMax = 4 * 1024 * 1024;

/** Maximum number of operations in one entity group transaction. Source: data-model 8; batch 4. */
export const transactionOperationsMax = 100;

/**
 * Maximum number of operations in a transaction of Cosmos DB. Its documentation says 100, and 101 were recorded. (Our choice: 1,000
 * take about 30 ms in one turn of the event loop, and as many as fit into a body took more than 200.)
 */
export const cosmosOperationsMax = 1000;

/**
 * Maximum length of the boundary of a multipart body. Unit: characters. A longer one is an error, because searching a
 * body for a boundary of thousands of characters is slow. Source: RFC 2046, section 5.1.1.
 */
export const boundaryLengthMax = 70;

/** Maximum number of custom properties of one entity. System properties are not counted. Source: data-model 3.1. */
export const entityPropertiesMax = 252;

/**
 * Maximum number of members of a body in JSON, or of properties of an Atom entry, with nulls, type annotations and everything else
 * that is not stored. (Our choice: the largest entity with an annotation for each property has half of it.)
 */
export const bodyMembersMax = 1024;

/** Maximum size of an entity, computed with the service's formula. Unit: bytes. Source: data-model 4. */
export const entityBytesMax = 1024 * 1024;

/** Maximum length of a property name. Unit: UTF-16 code units. Source: data-model 3.1. */
export const propertyNameUnitsMax = 255;

/** Maximum length of an Edm.String value. Unit: UTF-16 code units (64 KiB). Source: data-model 3.5. */
export const stringUnitsMax = 32_768;

/** Maximum length of an Edm.Binary value. Unit: bytes. Source: data-model 3.5. */
export const binaryBytesMax = 65_536;

/** Smallest Edm.Int32. Source: data-model 3.2. */
export const int32Min = -(2 ** 31);

/** Largest Edm.Int32. Source: data-model 3.2. */
export const int32Max = 2 ** 31 - 1;

/** Smallest Edm.Int64. Source: data-model 3.2. */
export const int64Min = -(2n ** 63n);

/** Largest Edm.Int64. Source: data-model 3.2. */
export const int64Max = 2n ** 63n - 1n;

/** Year of the earliest Edm.DateTime. Source: data-model 5. */
export const dateTimeYearMin = 1601;

/** Maximum length of a PartitionKey or RowKey. Unit: UTF-16 code units (1 KiB). Source: data-model 2. */
export const keyUnitsMax = 512;

/**
 * Maximum length of an array or an object within a body. Unit: UTF-16 code units. (Our choice: no property can have such a
 * value, and parsing megabytes of them takes up to a second.)
 */
export const nestedUnitsMax = 512 * 1024;

/** Minimum length of a table name. Unit: characters. Source: data-model 1.1. */
export const tableNameLengthMin = 3;

/** Maximum length of a table name. Unit: characters. Source: data-model 1.1. */
export const tableNameLengthMax = 63;

/** Maximum number of stored access policies of one table. Source: operations 8.5. */
export const accessPoliciesMax = 5;

/** Maximum length of the id of a stored access policy. Unit: characters. Source: operations 8.5. */
export const accessPolicyIdLengthMax = 64;

/** Maximum retention of logs or metrics. Unit: days. Source: operations 8.7. */
export const retentionDaysMax = 365;

/** Maximum number of CORS rules of one account. Source: operations 8.7. */
export const corsRulesMax = 5;

/** Maximum total size of the values in all CORS rules. Unit: bytes. Source: operations 8.7. */
export const corsBytesMax = 2048;

/** Maximum number of origins in one CORS rule. Source: operations 8.7. */
export const corsOriginsMax = 64;

/** Maximum number of complete header names in one list of a CORS rule. Source: operations 8.7. */
export const corsLiteralHeadersMax = 64;

/** Maximum number of header names that end in a star in one list of a CORS rule. Source: operations 8.7. */
export const corsPrefixedHeadersMax = 2;

/** Maximum length of one value of a CORS rule. Unit: characters. Source: operations 8.7. */
export const corsValueLengthMax = 256;

/** Maximum difference between the date of a Shared Key request and the server's clock. Unit: milliseconds. Source: auth 1.3. */
export const signatureAgeMsMax = 15 * 60 * 1000;

/**
 * Maximum size of the request line and all headers. Unit: bytes. (Our choice: the longest URL that the service accepts, 32 KiB,
 * and as much again for headers.) Source: query 9.
 */
export const headerBytesMax = 64 * 1024;

/**
 * Maximum length of a request target. A longer one that fits into `headBytesMax` gets an error of the service. Unit: bytes.
 * (Our choice: twice the limit of the service.)
 */
export const targetBytesMax = headerBytesMax;

/** Maximum size of the request line and all headers that is read. Unit: bytes. (Our choice: four times the longest target.) */
export const headBytesMax = 4 * targetBytesMax;

/**
 * Maximum number of headers of a part of a batch. (Our choice: no client sends as many, and a body with a million of them
 * would block all other requests for a fifth of a second.)
 */
export const partHeadersMax = 100;

/** Maximum number of names in a `$select`: all custom properties of one entity and its three system properties. Source: query 7. */
export const selectedNamesMax = entityPropertiesMax + 3;

/** Number of comparisons that the service documents as the maximum of a $filter. It accepts more. Source: query 9. */
export const documentedComparisonsMax = 15;

/** Maximum depth of parentheses and `not` in a $filter. (Our choice: a deeper filter could exhaust the stack.) */
export const filterDepthMax = 200;

/**
 * Maximum length of a $filter. Unit: UTF-16 code units. (Our choice: no URL is longer, but a part of a batch could contain
 * megabytes, which would take seconds to parse.)
 */
export const filterUnitsMax = headerBytesMax;

/**
 * Maximum number of tags, comments and other markup in an XML document. (Our choice: an entry has two tags for each property and
 * about twenty others.)
 */
export const xmlElementsMax = 4096;

/**
 * Maximum length of a text of an XML document. Unit: UTF-16 code units. (Our choice: such a string makes an entity too large, and
 * such base64 has more bytes than a value.) The rest of a longer text is left out.
 */
export const xmlTextUnitsMax = entityBytesMax / 2 + 4;

/**
 * Maximum number of references and carriage returns to read in one text of an XML document. (Our choice: each is a character, so a
 * string with more is too large.)
 */
export const textReferencesMax = 2 * stringUnitsMax;

/** Maximum number of references and carriage returns in an XML document. (Our choice: an entity that has more is too large.) */
export const xmlReferencesMax = entityBytesMax / 2;

/**
 * Maximum length of all tags, comments and processing instructions of an XML document together. Unit: UTF-16 code units.
 * (Our choice: the longest names of all properties of an entity have half of it.) Reading megabytes of attributes would take seconds.
 */
export const markupUnitsMax = 256 * 1024;
