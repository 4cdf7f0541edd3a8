import type { TableClient, TableEntity, TransactionAction } from '@azure/data-tables';

/** Inserts entities, in transactions of at most 100 of one partition. */
export async function insertAll(table: TableClient, entities: readonly TableEntity[]): Promise<void> {
  for (const partition of new Set(entities.map(({ partitionKey }) => partitionKey))) {
    const actions = entities
      .filter(({ partitionKey }) => partitionKey === partition)
      .map((entity): TransactionAction => ['create', entity]);
    for (let at = 0; at < actions.length; at += 100) await table.submitTransaction(actions.slice(at, at + 100));
  }
}
