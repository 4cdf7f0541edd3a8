/** The facts by which code selects operations. */
interface OperationFacts {
  /** The short word for it in fault rules. */
  readonly word?: 'insert' | 'get' | 'query' | 'update' | 'merge' | 'upsert' | 'delete' | 'transaction';
  readonly writes?: true;
  /** Whether it addresses one entity by its keys. */
  readonly isPoint?: true;
  /** Whether it may name the ETag of an entity. */
  readonly isConditional?: true;
}

/** The operations, as the documentation of the service calls them. Source: operations 1.2. */
const operations = {
  'Query Tables': {},
  'Create Table': { writes: true },
  'Get Table': {},
  'Delete Table': { writes: true },
  'Query Entities': { word: 'query' },
  'Get Entity': { word: 'get', isPoint: true },
  'Insert Entity': { word: 'insert', isPoint: true, writes: true },
  'Update Entity': { word: 'update', isPoint: true, writes: true, isConditional: true },
  'Insert Or Replace Entity': { word: 'upsert', isPoint: true, writes: true },
  'Merge Entity': { word: 'merge', isPoint: true, writes: true, isConditional: true },
  'Insert Or Merge Entity': { word: 'upsert', isPoint: true, writes: true },
  'Delete Entity': { word: 'delete', isPoint: true, writes: true, isConditional: true },
  'Entity Group Transaction': { word: 'transaction', writes: true },
  'Get Table ACL': {},
  'Set Table ACL': { writes: true },
  'Get Table Service Properties': {},
  'Set Table Service Properties': { writes: true },
  'Get Table Service Stats': {},
  'Get User Delegation Key': {},
} satisfies Record<string, OperationFacts>;

/** The name of an operation. */
export type OperationName = keyof typeof operations;

/** The names of all operations. */
export const operationNames = Object.keys(operations) as readonly OperationName[];

/** Returns the operations whose facts meet a condition. */
export function operationsThat(meet: (facts: OperationFacts) => unknown): readonly OperationName[] {
  return operationNames.filter((name) => meet(operations[name]));
}

/** The operations that address one entity by its keys. */
export const pointOperations: ReadonlySet<OperationName | undefined> = new Set(
  operationsThat(({ isPoint }) => isPoint),
);
