import type { FaultSummary } from '../faults/contract.js';
import { WrittenChange } from '../insight/journal/changes/written-change.js';
import { LogEntry } from '../insight/journal/log-entry.js';
import { ServerEvent } from '../insight/live/server-events.js';
import { nameQuery, queryClassNames } from '../insight/queries/query-classes.js';
import { operationNames } from '../protocol/operation-names.js';
import {
  anyOf,
  choice,
  count,
  described,
  type FieldNotes,
  flag,
  formed,
  list,
  name,
  object,
  optional,
  type Shape,
  text,
} from '../schema.js';
import { ClockState } from './clock.js';
import { account, keyWords, table } from './fields.js';
import { journalOf, linesVerb, notInJournal, verb } from './verb.js';

/** What selects requests of the journal. */
const requestFields = {
  status: optional(
    anyOf(
      'Only this status, this kind of status, or `rejected`: the requests that `why` explains.',
      [count('A status.', 100, 599), formed('A status.', /^(?:[1-5](?:\d\d|xx)|rejected)$/, { wanted: 'a status' })],
      {
        value: 'STATUS',
        example: '4xx',
        wanted: 'a status, such as 404, a kind of status, such as 4xx, or rejected',
      },
    ),
  ),
  class: optional(choice('Only this class of query.', queryClassNames, { value: 'CLASS', example: 'table-scan' })),
  op: optional(
    formed('Only this operation.', new RegExp(`^(?:${operationNames.join('|').replaceAll(' ', ' ?')})$`, 'i'), {
      value: 'NAME',
      example: 'QueryEntities',
      wanted: `one of: ${operationNames.map((one) => one.replaceAll(' ', '')).join(', ')}`,
    }),
  ),
  account: account('Only this account, or branch.'),
  table: optional(table('Only this table.')),
  client: optional(name('Only clients with this part of a User-Agent, or this address.', { value: 'TEXT' })),
  mark: optional(name('Only requests after a mark with this text, such as the name of a test.', { value: 'TEXT' })),
  text: optional(name('Only requests with this in path, query, error code or request ID.', { value: 'TEXT' })),
  explorer: optional(flag('Also the requests of the page for browsers.')),
  after: optional(count('Only requests after this position in the journal.')),
} as const;

/** What also bounds requests that are there already. */
const boundFields = {
  before: optional(count('Only requests before this position in the journal.')),
  limit: optional(count('How many of the newest requests (default: 200).')),
} as const;

/** Returns the line about a request: time, status, method, path, code, duration, entities returned and read, class, request ID. */
function requestLine(entry: LogEntry): string {
  const { pathname, search } = new URL(entry.Uri, 'http://localhost');
  const words = [
    entry.TimeGenerated.slice(11, 23),
    entry.StatusCode,
    entry.Method,
    `${pathname}${search}`,
    ...(entry.StatusText === 'Success' ? [] : [entry.StatusText]),
    `${entry.DurationMs.toFixed(1)} ms`,
    ...(entry.EntitiesRead === undefined ? [] : [`${entry.EntitiesReturned}/${entry.EntitiesRead}`]),
    ...(entry.Class === undefined ? [] : [nameQuery(entry.Class, entry.Rule)]),
    entry.CorrelationId,
    ...(entry.Mark === undefined ? [] : [`[${entry.Mark}]`]),
  ];
  return words.join(' ');
}

export const requestList = verb({
  name: 'request list',
  does: 'List the last requests.',
  notes: 'Names and texts are compared without regard to case.',
  http: 'GET /requests',
  changes: 'nothing',
  agent: { when: "Call it to see which requests code has really sent; status 'rejected' has those that failed." },
  example: 'requests --status 4xx',
  takes: { ...requestFields, ...boundFields },
  answers: object('RequestList', 'Requests of the journal.', {
    scope: name('Whose requests these are.'),
    first: count('The position of the oldest request that is kept.'),
    next: count('The position of the next request.'),
    capacity: count('How many requests are kept.'),
    requests: list('The requests, the oldest first.', LogEntry),
  }),
  lists: 'requests',
  async run(server, wish) {
    const journal = journalOf(server);
    const { listEntries } = await import('../insight/journal/select-entries.js');
    const { first, next, capacity } = journal;
    const scope = 'the requests of this server since it started';
    return { scope, first, next, capacity, requests: listEntries(journal, wish) };
  },
  lines: ({ requests }, _input, { data }) => data(requests.map(requestLine)),
});

export const requestFollow = linesVerb({
  name: 'request follow',
  does: 'Print the kept requests, then each new one until the server stops.',
  http: 'GET /requests/follow',
  changes: 'nothing',
  example: 'requests --follow --status 4xx',
  takes: requestFields,
  sends: 'lines',
  answers: anyOf('A request, or how many came too fast.', [
    LogEntry,
    object('DroppedRequests', 'Requests that came too fast for their reader.', { Dropped: count('How many.') }),
  ]),
  async run(server, wish) {
    const journal = journalOf(server);
    const { followEntries } = await import('../insight/journal/select-entries.js');
    return followEntries(journal, wish);
  },
  lines: (line) => ['Dropped' in line ? `${line.Dropped} requests came too fast and are not shown` : requestLine(line)],
});

const Header = object('Header', 'A header.', {
  name: name('Its name.'),
  value: text('Its value. `…` stands for a credential.'),
});

export const requestShow = verb({
  name: 'request show',
  does: 'Show a request: its changes, its headers and bodies, if kept, and a command line that repeats it.',
  http: 'GET /requests/{id}',
  changes: 'nothing',
  agent: { when: 'Call it for the headers, the bodies and the changes of one request.' },
  example: 'request show 7c3f2f7e-0002-0015-5f1a-1e7d2d000000',
  takes: { id: name('Its x-ms-request-id or x-ms-client-request-id.', { value: 'ID', example: '7c3f2f7e' }) },
  words: ['id'],
  answers: object('ShownRequest', 'A request.', {
    request: LogEntry,
    url: text('Its URL without the parameters of a signature, to send it again with another one.'),
    curl: text('A command line for a POSIX shell that sends it again. `$SAS` in it stands for a signature.'),
    changes: list('The entities that it wrote, as far as they are kept.', WrittenChange),
    requestHeaders: optional(list('Its headers, if kept.', Header)),
    responseHeaders: optional(list('The headers of the response, if kept.', Header)),
    requestBody: optional(text('Its body, as far as it is kept and without credentials.')),
    responseBody: optional(text('The body of the response, in the same way.')),
  }),
  async run(server, { id }) {
    const journal = journalOf(server);
    const entry = journal.find(id);
    if (!entry) throw notInJournal(`no request ${id}`, journal);
    const [{ changesOf }, { unsignedUrlOf, writeCurl, writeEntry }] = await Promise.all([
      import('../insight/journal/changes/select-changes.js'),
      import('../insight/journal/write-entry.js'),
    ]);
    const kept = journal.readBodies(entry.seq);
    const { request: requestBody, answer: responseBody } = kept ?? {};
    return {
      request: writeEntry(entry),
      changes: await changesOf(journal, entry.requestId),
      url: unsignedUrlOf(entry),
      curl: writeCurl(entry, kept),
      ...(kept && { requestHeaders: kept.requestHeaders, responseHeaders: kept.answerHeaders }),
      ...(requestBody !== undefined && { requestBody }),
      ...(responseBody !== undefined && { responseBody }),
    };
  },
  lines(
    { request, changes, curl, requestHeaders = [], requestBody, responseHeaders = [], responseBody },
    _input,
    { data },
  ) {
    return data([
      requestLine(request),
      ...changes.map(changeLine),
      ...requestHeaders.map(headerLine),
      ...(requestBody === undefined ? [] : [requestBody]),
      ...responseHeaders.map(headerLine),
      ...(responseBody === undefined ? [] : [responseBody]),
      curl,
    ]);
  },
});

function headerLine({ name, value }: Shape<typeof Header>): string {
  return `${name}: ${value}`;
}

export const mark = verb({
  name: 'mark',
  does: "Mark the requests and changes that follow with a name, such as a test's.",
  http: 'POST /marks',
  changes: 'behavior',
  agent: { when: 'Call it before a test, so that its requests and changes can be found by the name.', repeats: true },
  example: 'mark "ships an order"',
  takes: { name: name('The name.', { value: 'NAME', example: 'ships an order' }) },
  words: ['name'],
  answers: object('Mark', 'A place among requests and changes.', {
    mark: name('Its name.'),
    next: count('The position of the next request.'),
    seq: count('The position of the last change before it.'),
  }),
  run: (server, { name }) => ({ mark: name, ...journalOf(server).mark(name) }),
  lines: ({ mark }) => [`marked: ${mark}`],
});

const place = (does: string, notes: FieldNotes = {}) =>
  optional(
    anyOf(does, [count('The position of a change.'), name('The name of a mark.')], {
      value: 'PLACE',
      wanted: 'the name of a mark or the position of a change',
      ...notes,
    }),
  );

/** What selects changes. */
const changeFields = {
  since: place('Only changes after this mark, or after this position.', { example: 'ships an order' }),
  account: account('Only this account.'),
  table: optional(table('Only this table.')),
} as const;

/** The other end of what was written. */
const until = place('Only changes before this mark, or up to this position.');

/** Returns the line about a change: position, time, table, what it did, with which entity, for which request, under which mark. */
function changeLine(change: WrittenChange): string {
  const { seq, at, account, table, kind, partitionKey, rowKey, requestId, mark } = change;
  return [
    `${seq} ${at.slice(11, 23)} ${account}/${table} ${kind}${keyWords(partitionKey, rowKey)}`,
    ...(requestId === undefined ? [] : [requestId]),
    ...(mark === undefined ? [] : [`[${mark}]`]),
  ].join(' ');
}

export const changeList = verb({
  name: 'change list',
  does: 'List the last writes, without their values.',
  notes: 'The last 8,192 changes are kept. If some after the place were overwritten, it fails: over HTTP with 410.',
  http: 'GET /changes',
  changes: 'nothing',
  agent: { when: 'Call it to see which entities a test wrote; mark first.' },
  example: 'changes --since "ships an order"',
  takes: { ...changeFields, until },
  answers: object('ChangeList', 'Changes.', {
    scope: name('Whose changes these are.'),
    first: count('The position of the oldest change that is kept.'),
    last: count('The position of the newest change; what comes later is after it.'),
    changes: list('The changes, in the order of their commits.', WrittenChange),
  }),
  lists: 'changes',
  async run(server, wish) {
    const journal = journalOf(server);
    const { selectChanges } = await import('../insight/journal/changes/select-changes.js');
    const scope = 'the changes that this server wrote since it started';
    return { scope, ...(await selectChanges(journal, wish)) };
  },
  lines: ({ changes }, _input, { data }) => data(changes.map(changeLine)),
});

export const changeFollow = linesVerb({
  name: 'change follow',
  does: 'Print the kept changes, then each new one until the server stops.',
  http: 'GET /changes/follow',
  changes: 'nothing',
  example: 'changes --follow --table Orders',
  takes: changeFields,
  sends: 'lines',
  answers: anyOf('A change, or how many came too fast.', [
    WrittenChange,
    object('DroppedChanges', 'Changes that came too fast for their reader.', { dropped: count('How many.') }),
  ]),
  async run(server, wish) {
    const journal = journalOf(server);
    const { followChanges } = await import('../insight/journal/changes/select-changes.js');
    return followChanges(journal, wish);
  },
  lines: (line) => ['dropped' in line ? `${line.dropped} changes came too fast and are not shown` : changeLine(line)],
});

/** A line that has only the position to continue from, and what is not as usual. */
const Heartbeat = object('LiveHeartbeat', 'Where the stream is, and what is not as usual.', {
  position: name('The position to continue from.'),
  journal: flag('Whether the server keeps a journal, so that the stream has requests and changes.'),
  clock: ClockState,
  faults: list(
    'The rules for faults.',
    described<FaultSummary>('FaultSummary', 'A rule, with its effects so far.', 'faults/contract'),
  ),
  isMemoryFull: flag('Whether writes are rejected because the memory is full.'),
});

export const live = linesVerb({
  name: 'live',
  does: 'Stream requests, changes of entities, and what happens to tables and states, as one stream.',
  notes:
    'The page for browsers follows it; it has no command. It begins with a heartbeat, and sends one every four seconds. Requests of the page are marked. Without a journal there are no requests and changes. Of other servers on the same database there is nothing but the end of branches, which may be noticed a minute later. A position of an earlier run of the server is gone: the status is 410.',
  http: 'GET /live',
  changes: 'nothing',
  isForPage: true,
  example: 'live',
  takes: {
    since: optional(
      formed(
        'Only what comes after this position of a heartbeat (default: `now`).',
        /^(?:now|[\w]+(?:-\d{1,15}){1,3})$/,
        {
          value: 'POSITION',
          wanted: '`now` or the position of a heartbeat',
        },
      ),
    ),
  },
  sends: 'lines',
  answers: anyOf('A heartbeat, a request, a change, an event, or how many of them came too fast.', [
    Heartbeat,
    object('LiveRequest', 'A request.', { request: LogEntry }),
    object('LiveChange', 'A change.', { change: WrittenChange }),
    object('LiveEvent', 'An event.', { event: ServerEvent }),
    object('LiveDropped', 'Lines that came too fast for their reader.', { dropped: count('How many.') }),
  ]),
  async run({ events, journal, faults, clock, info }, { since = 'now' }) {
    const { followLive } = await import('../insight/live/follow-live.js');
    const conditions = () => ({
      journal: journal !== undefined,
      clock: clock.clock.state(),
      faults: faults.list(),
      isMemoryFull: info.memory()?.isFull ?? false,
    });
    return followLive({ run: info.started.toString(36), events, journal, conditions }, since);
  },
  lines: () => [],
});
