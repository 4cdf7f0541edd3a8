import { followEntries } from '../insight/journal/follow-entries.js';
import { followersMax } from '../insight/journal/follow-ring.js';
import type { Journal, JournalEntry } from '../insight/journal/journal.js';
import { readSelection, SelectorFault, selectEntries, selectors } from '../insight/journal/select-entries.js';
import { writeCurl } from '../insight/journal/write-curl.js';
import { writeEntry } from '../insight/journal/write-entry.js';
import { harAround, writeHarEntry } from '../insight/journal/write-har.js';
import { ownVersion } from '../version.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { answerList } from './answer-list.js';
import { isOn } from './check-query.js';
import { answerJson, type ControlAnswer, type ControlRequest, type ControlRow, ndjson } from './control-row.js';

const root = `${controlRoot}/requests`;

const selectingValues = selectors.filter((name) => name !== 'explorer');

/** Returns the rows that show the journal of requests. */
export function requestRows(journal: Journal): readonly ControlRow[] {
  return [
    {
      method: 'GET',
      path: root,
      purpose: 'the last requests of this server; ?status=4xx&class=table-scan&stream and more',
      query: { values: selectingValues, switches: ['explorer', 'stream'] },
      run: selecting(({ query }) => answerEntries(journal, query)),
    },
    {
      method: 'GET',
      path: `${root}.har`,
      purpose: 'the same as an HTTP Archive',
      query: { values: selectingValues, switches: ['explorer'] },
      run: selecting(({ query }) => answerArchive(journal, query)),
    },
    {
      method: 'GET',
      path: `${root}/*`,
      purpose: 'one request by its x-ms-request-id; with /curl, a command line for a POSIX shell that sends it again',
      run: ({ path }) => answerEntry(journal, path.slice(root.length + 1)),
    },
  ];
}

/** Answers 400 with the reason if the selection of a request is invalid. */
function selecting(run: (request: ControlRequest) => ControlAnswer): ControlRow['run'] {
  return (request) => {
    try {
      return run(request);
    } catch (error) {
      if (error instanceof SelectorFault) return answerJson(400, { error: error.message });
      throw error;
    }
  };
}

/** Answers a client that wants to follow the journal when as many do as may. */
export function tooManyFollowers(): ControlAnswer {
  return answerJson(503, { error: `${followersMax} clients follow the journal already. Stop one of them.` });
}

function answerEntries(journal: Journal, query: URLSearchParams): ControlAnswer {
  const selection = readSelection(query);
  if (isOn(query, 'stream')) {
    if (journal.listeners >= followersMax) return tooManyFollowers();
    const body = followEntries(journal, selection);
    return { status: 200, contentType: ndjson, body };
  }
  const { first, next, capacity } = journal;
  const head = { scope: 'the requests of this server since it started', first, next, capacity };
  const entries = mapEach(selectEntries(journal, selection), writeEntry);
  return answerList(`${JSON.stringify(head).slice(0, -1)},"requests":[`, entries, ']}\n');
}

function answerArchive(journal: Journal, query: URLSearchParams): ControlAnswer {
  const [start, end] = harAround(ownVersion());
  const entries = mapEach(selectEntries(journal, readSelection(query)), (entry) =>
    writeHarEntry(entry, journal.readBodies(entry.seq)),
  );
  return answerList(start, entries, `${end}\n`, { 'Content-Disposition': 'attachment; filename="tabularium.har"' });
}

async function* mapEach(entries: AsyncIterable<JournalEntry>, write: (entry: JournalEntry) => object) {
  for await (const entry of entries) yield write(entry);
}

function answerEntry(journal: Journal, rest: string): ControlAnswer {
  const [id = '', form, ...others] = rest.split('/');
  const entry: JournalEntry | undefined = journal.find(decodeId(id));
  if (!entry) {
    const error = `The journal has no request ${id}. It keeps the last ${journal.capacity} requests of this server.`;
    return answerJson(404, { error });
  }
  if (form === undefined) {
    const bodies = journal.readBodies(entry.seq);
    return answerJson(200, { ...writeEntry(entry), RequestBody: bodies?.request, ResponseBody: bodies?.answer });
  }
  if (others.length > 0) return answerJson(404, { error: askedForms });
  if (form === 'curl') return { status: 200, contentType: 'text/plain; charset=utf-8', body: `${writeCurl(entry)}\n` };
  return answerJson(404, { error: askedForms });
}

const askedForms = 'Ask for the request itself, or for its curl.';

/** Returns an id as it was sent if it cannot be decoded: no request has it. */
function decodeId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
