/**
 * Every limit of the Table service, once. Units and qualifiers come last in the names.
 */

/** Most entities, or tables, that one answer carries. Unit: rows. Source: "Query timeout and pagination". */
export const pageRowsMax = 1000;

/** Largest request body; a larger one is refused with RequestBodyTooLarge. Unit: bytes. Source: REST reference, batch payload. */
export const bodyBytesMax = 4 * 1024 * 1024;

/** Most operations in one entity group transaction. Source: recordings (101 operations refused with index 99). */
export const transactionOperationsMax = 100;

/** Custom properties of one entity, system properties not counted. Source: recordings, TooManyProperties. */
export const entityPropertiesMax = 252;

/** Length of a property name. Unit: UTF-16 code units. Source: recordings, PropertyNameTooLong. */
export const propertyNameUnitsMax = 255;

/** Length of an Edm.String value, inclusive. Unit: UTF-16 code units (64 KiB). Source: live tests of clients. */
export const stringUnitsMax = 32_768;

/**
 * Where a page ends before it has all its rows. Unit: bytes of JSON. Ours: a thousand entities of the largest size would
 * be a gigabyte. Clients go on with the token as ever.
 */
export const pageBytesMax = 16 * 1024 * 1024;

/** Length of an Edm.Binary value, inclusive. Unit: bytes. Source: live tests of clients. */
export const binaryBytesMax = 65_536;

/** Size of a whole entity by the service's formula. Unit: bytes. Source: data model, "Entity size formula". */
export const entityBytesMax = 1024 * 1024;

/** Length of a PartitionKey or RowKey. Unit: UTF-16 code units (1 KiB). Source: data model. */
export const keyUnitsMax = 512;

/** Shortest table name. Unit: characters. Source: data model. */
export const tableNameLengthMin = 3;

/** Longest table name. Unit: characters. Source: data model. */
export const tableNameLengthMax = 63;

/** How far the date of a Shared Key request may be from the server's. Unit: milliseconds. Source: auth, "Date check". */
export const signatureAgeMsMax = 15 * 60 * 1000;

/**
 * Length of a request target that must be served. Unit: bytes. Source: the service takes about 32 KiB of URL.
 * What bounds it is `headerBytesMax`, which counts the request line too.
 */
export const urlBytesMax = 32 * 1024;

/** Size of all request headers with the request line. Unit: bytes. Ours: room for the longest URL and the rest. */
export const headerBytesMax = 64 * 1024;

/** Depth of parentheses and `not` in a $filter. Ours: a deeper one would only exhaust the stack. */
export const filterDepthMax = 200;

/**
 * Length of a $filter. Unit: UTF-16 code units. Ours: no URL is longer, but a part of a batch could name one of megabytes,
 * which takes seconds to parse.
 */
export const filterUnitsMax = headerBytesMax;
