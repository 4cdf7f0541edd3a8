import { queryClassNames } from '../insight/queries/query-classes.js';
import type { AcceptedFilter } from '../insight/why/filter/explained-filter.js';
import { choice, count, flag, list, name, object, optional, text } from '../schema.js';
import { DeletionReport, DescribedTable, ListedTable, ReadEntities } from '../state/contract.js';
import { account, counted, table, undoHint } from './fields.js';
import { RejectedCall, type VerbServer, verb } from './verb.js';

const ownAccount = account('The account of the table (default: the first one).');

const filter = (does: string) => name(does, { value: 'FILTER', example: "PartitionKey eq 'p'" });

export const tableList = verb({
  name: 'table list',
  does: 'List the tables of all accounts except branches, or of one account.',
  http: 'GET /tables',
  changes: 'nothing',
  agent: { when: 'Call it to see which tables there are.' },
  example: 'tables --count',
  takes: {
    account: account('Only this account.'),
    table: optional(table('Only this table.')),
    count: optional(flag('Count the entities of each, which reads all of them.')),
  },
  answers: object('TableList', 'Tables.', { tables: list('The tables, by account and name.', ListedTable) }),
  lists: 'tables',
  run: async ({ state }, { account, table, count = false }) => ({
    tables: await state.listTables(account, count, table),
  }),
  lines: ({ tables }) =>
    tables.map(({ account, name, entities }) => {
      const size = entities === undefined ? '' : ` (${counted(entities, 'entity', 'entities')})`;
      return `${account}/${name}${size}`;
    }),
});

export const tableShow = verb({
  name: 'table show',
  does: 'Show the properties of a table: their types, how often they occur, an example.',
  notes: 'It reads the first 1,000 entities at most.',
  http: 'GET /tables/{table}',
  changes: 'nothing',
  agent: { when: 'Call it before you write code for a table that you do not know.' },
  example: 'table show Orders',
  takes: { table: table('The table.'), account: ownAccount },
  words: ['table'],
  answers: DescribedTable,
  run: (server, input) => orNearest(server, input, server.state.describeTable(input)),
  lines({ account, table, entities, partitions, more, properties }, _input, { data }) {
    const read = `${counted(entities, 'entity', 'entities')} in ${counted(partitions, 'partition')}`;
    return [
      `${account}/${table}: ${more ? `the first ${read}; there are more` : read}`,
      ...data(
        properties.map((one) => `${one.name} ${one.types.join(', ')}, in ${one.entities}, such as ${one.example}`),
      ),
    ];
  },
});

/** Entities in a list by default, and at most. (Our choice: they fit on a screen, and in memory.) */
const [entitiesUsual, entitiesMax] = [20, 1000];

const query = {
  class: choice('How the cloud finds the entities.', queryClassNames),
  text: text('The work of the cloud, in one sentence.'),
  advice: optional(text('The way to make it cheaper; absent if there is none.')),
} as const;

export const entityList = verb({
  name: 'entity list',
  does: 'List the first entities of a table, or of those that a filter finds, and say how the cloud would find them.',
  http: 'GET /entities',
  changes: 'nothing',
  agent: { when: 'Call it to see which data there really is.' },
  example: `entity list Orders --filter "PartitionKey eq '2026'"`,
  takes: {
    table: table('The table.'),
    filter: optional(filter('Only the entities that this $filter finds.')),
    select: optional(list('Only these properties.', name('A property.'), { value: 'NAMES', example: 'Name,Size' })),
    limit: optional(count('The most entities (default: 20).', 1, entitiesMax)),
    account: ownAccount,
  },
  words: ['table'],
  answers: object('EntityList', 'Entities of a table, and the cost of the query.', {
    ...query,
    ...ReadEntities.entries,
  }),
  async run(server, input) {
    const judged = await judge(server.state, input);
    const read = server.state.readEntities({ limit: entitiesUsual, ...input });
    return { ...judged, ...(await orNearest(server, input, read)) };
  },
  lines: ({ entities, more, ...cost }, _input, { data }) => [
    `${counted(entities.length, 'entity', 'entities')}${more ? '. There are more: narrow the filter, or raise the limit' : ''}`,
    ...costLines(cost),
    ...data(entities.map((entity) => JSON.stringify({ ...entity, 'odata.etag': undefined }))),
  ],
});

export const entityCount = verb({
  name: 'entity count',
  does: 'Count the entities of a table, or those that a filter finds, by reading them.',
  http: 'GET /entities/count',
  changes: 'nothing',
  agent: { when: 'Call it to check how many entities a table has, or how many a filter finds.' },
  example: `entity count Orders --filter "PartitionKey eq '2026'"`,
  takes: {
    table: table('The table.'),
    filter: optional(filter('Only the entities that this $filter finds.')),
    account: ownAccount,
  },
  words: ['table'],
  answers: object('EntityCount', 'A number of entities, and the cost of the query.', {
    ...query,
    entities: count('How many there are.'),
  }),
  async run(server, input) {
    const judged = await judge(server.state, input);
    return { ...judged, entities: await orNearest(server, input, server.state.countEntities(input)) };
  },
  lines: ({ entities, ...cost }) => [counted(entities, 'entity', 'entities'), ...costLines(cost)],
});

/** Judges the filter of a query by the costs of its account's service. Errors: RejectedCall that explains a rejected filter. */
async function judge(
  state: VerbServer['state'],
  { account, filter = '' }: { readonly account?: string; readonly filter?: string },
): Promise<Pick<AcceptedFilter, 'class' | 'text' | 'advice'>> {
  const [{ judgeFilter }, { describeError }, { costModels }] = await Promise.all([
    import('../insight/why/filter/judge-filter.js'),
    import('../dialects/storage/describe-error.js'),
    import('../insight/queries/cost-model.js'),
  ]);
  const judged = judgeFilter(filter, describeError, costModels[await state.serviceOf(account)]);
  const { text, advice } = judged;
  if (judged.isRejected) {
    const reason = [`The filter is rejected with ${judged.code}.`, text, ...(advice === undefined ? [] : [advice])];
    throw new RejectedCall(judged.status, reason.join(' '));
  }
  return { class: judged.class, text, ...(advice !== undefined && { advice }) };
}

/** Suggests the nearest table if there is none of this name. Errors: those of `read`. */
async function orNearest<Answer>(
  { state, tables }: VerbServer,
  { account, table }: { readonly account?: string; readonly table: string },
  read: Promise<Answer>,
): Promise<Answer> {
  try {
    return await read;
  } catch (error) {
    const [{ faultOf }, { nearestName }] = await Promise.all([
      import('../state/state-fault.js'),
      import('../nearest-name.js'),
    ]);
    const fault = faultOf(error);
    const [owner] = fault?.reason === 'missing' ? state.accountNames(account) : [];
    if (!fault || owner === undefined) throw error;
    const listed = await tables.listTables(owner);
    const near = nearestName(
      table,
      listed.map(({ name }) => name),
    );
    throw near === undefined ? error : new RejectedCall(404, `${fault.message} Did you mean ${near}?`);
  }
}

function costLines({
  class: name,
  text,
  advice,
}: Pick<AcceptedFilter, 'class' | 'text' | 'advice'>): readonly string[] {
  return [`In the cloud: ${name}. ${text}`, ...(advice === undefined ? [] : [advice])];
}

export const entityDelete = verb({
  name: 'entity delete',
  does: 'Delete the entities of a table that match a filter.',
  http: 'POST /entities/delete',
  changes: 'data',
  example: `entity delete Orders "PartitionKey eq '2026'"`,
  takes: {
    table: table('The table.'),
    filter: filter('The $filter. To empty a table, use reset.'),
    account: ownAccount,
    undo: optional(
      name('Undo ID of an earlier part of the same deletion, which then covers this part, too.', {
        value: 'ID',
        example: 'undo-1',
      }),
    ),
  },
  words: ['table', 'filter'],
  answers: DeletionReport,
  run: ({ state }, input) => state.deleteEntities(input),
  lines: ({ entities, undo }, _input, audience) => [
    `${counted(entities, 'entity', 'entities')} deleted${undoHint(entities, undo, audience)}`,
  ],
});
