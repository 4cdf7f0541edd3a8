/** The names of the operations, as the documentation of the service calls them. Source: operations 1.2. */
export const operationNames = [
  'Query Tables',
  'Create Table',
  'Get Table',
  'Delete Table',
  'Query Entities',
  'Get Entity',
  'Insert Entity',
  'Update Entity',
  'Insert Or Replace Entity',
  'Merge Entity',
  'Insert Or Merge Entity',
  'Delete Entity',
  'Entity Group Transaction',
  'Get Table ACL',
  'Set Table ACL',
  'Get Table Service Properties',
  'Set Table Service Properties',
  'Get Table Service Stats',
  'Get User Delegation Key',
] as const;

/** The name of an operation. */
export type OperationName = (typeof operationNames)[number];
