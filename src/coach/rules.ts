/** How bad a finding is. `info` never fails anything. */
export type Severity = 'info' | 'warn' | 'serious';

/** A rule of the coach: what it finds, and what helps. */
export interface Rule {
  readonly id: RuleId;
  readonly title: string;
  readonly advice: string;
  /** The chapter of the design guide that helps, if there is one. */
  readonly chapter?: string;
}

/** The rules that exist. The numbers are stable: suppressions name them. */
const ruleIds = ['R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7', 'R18', 'R22', 'R24', 'R25', 'R26'] as const;

/** The number of a rule. */
export type RuleId = (typeof ruleIds)[number];

/** What each rule says. Source: Table design guide, "Guidelines for table design"; Table design guide, "Table design patterns". */
export const rules: Readonly<Record<RuleId, Rule>> = {
  R1: {
    id: 'R1',
    title: 'The query reads the whole table',
    advice: 'Put the value that you search for into a PartitionKey, or keep index entities.',
    chapter: 'Inter-partition secondary index pattern',
  },
  R2: {
    id: 'R2',
    title: 'Most of what the query reads does not match',
    advice: 'Store the entity a second time, with the value that you search for in the RowKey.',
    chapter: 'Intra-partition secondary index pattern',
  },
  R3: {
    id: 'R3',
    title: "Keys are joined by 'or'",
    advice: 'Send one query for each key, in parallel.',
    chapter: 'How your choice of PartitionKey and RowKey affects query performance',
  },
  R4: {
    id: 'R4',
    title: "A key is excluded by 'ne' or 'not'",
    advice: 'Send two queries: one below the key, one above it.',
    chapter: 'How your choice of PartitionKey and RowKey affects query performance',
  },
  R5: {
    id: 'R5',
    title: 'The RowKey is given without the PartitionKey',
    advice: 'Keep the PartitionKey where the RowKey comes from, or keep an index in other partitions.',
    chapter: 'Inter-partition secondary index pattern',
  },
  R6: {
    id: 'R6',
    title: 'The filter uses what the service does not have',
    advice: 'The explanation of the request has the form that works.',
  },
  R7: {
    id: 'R7',
    title: 'Whole entities are read where a part may do',
    advice: 'Name the properties that you need in $select.',
    chapter: 'Implementation considerations',
  },
  R18: {
    id: 'R18',
    title: 'Many writes meet an entity that was changed meanwhile',
    advice:
      'Split the entity, so that fewer clients write to the same one, or write one series of values into one entity.',
    chapter: 'Data series pattern',
  },
  R22: {
    id: 'R22',
    title: 'The filter has more comparisons than the service documents',
    advice: 'Split the query.',
  },
  R24: {
    id: 'R24',
    title: 'The query selects by Timestamp alone',
    advice: 'Put the time into a key.',
    chapter: 'Log tail pattern',
  },
  R25: {
    id: 'R25',
    title: 'The same entity is read again and again',
    advice: 'Keep it in the client for a while.',
    chapter: 'Join in the client',
  },
  R26: {
    id: 'R26',
    title: 'A table is created again and again',
    advice: 'Create it once, when the program starts.',
  },
};
