// Runs every check with both SDKs: `npm run write -- clients javascript`.
import { checkAccounts } from './accounts.mjs';
import { azureStorage } from './azure-storage.mjs';
import { dataTables } from './data-tables.mjs';
import { checkEntities } from './entities.mjs';
import { makeTools } from './model.mjs';
import { checkQueries } from './queries.mjs';
import { checkSignatures } from './signatures.mjs';
import { checkTransactions } from './transactions.mjs';

for (const driver of [dataTables, azureStorage]) {
  const tools = await makeTools(driver);
  for (const define of [checkAccounts, checkEntities, checkQueries, checkTransactions, checkSignatures]) define(tools);
}
