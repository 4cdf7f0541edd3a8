/**
 * Every limit of the Table service. Units and qualifiers come last in the names. "Ours" marks a limit of this server
 * where the service documents none.
 */

/** Most entities, or tables, in one answer. Unit: rows. Source: query 6.2. */
export const pageRowsMax = 1000;

/**
 * Size after which a page ends before it has all its rows. Unit: bytes of JSON. Ours: a thousand entities of the largest
 * size would take a gigabyte. Clients continue with the token as after any page.
 */
export const pageBytesMax = 16 * 1024 * 1024;

/** Largest request body; a larger one is refused with RequestBodyTooLarge. Unit: bytes. Source: data-model 8. */
export const bodyBytesMax = 4 * 1024 * 1024;

/** Most operations in one entity group transaction. Source: data-model 8; batch 4. */
export const transactionOperationsMax = 100;

/**
 * Length of the boundary of a multipart body. Unit: characters. A longer one is refused: searching a body for a boundary
 * of thousands of characters is slow. Source: RFC 2046, section 5.1.1.
 */
export const boundaryLengthMax = 70;

/** Most custom properties of one entity; system properties are not counted. Source: data-model 3.1. */
export const entityPropertiesMax = 252;

/** Size of an entity by the service's formula. Unit: bytes. Source: data-model 4. */
export const entityBytesMax = 1024 * 1024;

/** Length of a property name. Unit: UTF-16 code units. Source: data-model 3.1. */
export const propertyNameUnitsMax = 255;

/** Length of an Edm.String value, inclusive. Unit: UTF-16 code units (64 KiB). Source: data-model 3.5. */
export const stringUnitsMax = 32_768;

/** Length of an Edm.Binary value, inclusive. Unit: bytes. Source: data-model 3.5. */
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

/** Length of a PartitionKey or RowKey. Unit: UTF-16 code units (1 KiB). Source: data-model 2. */
export const keyUnitsMax = 512;

/** Shortest table name. Unit: characters. Source: data-model 1.1. */
export const tableNameLengthMin = 3;

/** Longest table name. Unit: characters. Source: data-model 1.1. */
export const tableNameLengthMax = 63;

/** Most stored access policies of one table. Source: operations 8.5. */
export const accessPoliciesMax = 5;

/** Length of the id of a stored access policy. Unit: characters. Source: operations 8.5. */
export const accessPolicyIdLengthMax = 64;

/** Longest retention of logs or metrics. Unit: days. Source: operations 8.7. */
export const retentionDaysMax = 365;

/** Most CORS rules of one account. Source: operations 8.7. */
export const corsRulesMax = 5;

/** Size of all values of the CORS rules together. Unit: bytes. Source: operations 8.7. */
export const corsBytesMax = 2048;

/** Most origins of one CORS rule. Source: operations 8.7. */
export const corsOriginsMax = 64;

/** Most complete header names in one list of a CORS rule. Source: operations 8.7. */
export const corsLiteralHeadersMax = 64;

/** Most header names ending in a star in one list of a CORS rule. Source: operations 8.7. */
export const corsPrefixedHeadersMax = 2;

/** Length of one value of a CORS rule. Unit: characters. Source: operations 8.7. */
export const corsValueLengthMax = 256;

/** Difference allowed between the date of a Shared Key request and the server's clock. Unit: milliseconds. Source: auth 1.3. */
export const signatureAgeMsMax = 15 * 60 * 1000;

/**
 * Length of a request target that must be served. Unit: bytes. Source: query 9. `headerBytesMax` enforces it, because it
 * counts the request line too.
 */
export const urlBytesMax = 32 * 1024;

/** Size of the request line and all headers. Unit: bytes. Ours: enough for the longest URL and the other headers. */
export const headerBytesMax = 64 * 1024;

/** Most names in a `$select`: one for every property of the largest entity, three of them system properties. Source: query 7. */
export const selectedNamesMax = entityPropertiesMax + 3;

/** Depth of parentheses and `not` in a $filter. Ours: a deeper one would only exhaust the stack. */
export const filterDepthMax = 200;

/**
 * Length of a $filter. Unit: UTF-16 code units. Ours: no URL is longer, but a part of a batch could carry megabytes, which
 * take seconds to parse.
 */
export const filterUnitsMax = headerBytesMax;
