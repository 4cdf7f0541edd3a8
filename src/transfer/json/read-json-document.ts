import { AlikeBodies } from '../../entity/body/alike-bodies.js';
import { readMembers } from '../../entity/body/read-entity.js';
import { type JsonMember, readJsonObject } from '../../entity/body/read-json.js';
import { TableError } from '../../protocol/errors.js';
import { StateFault } from '../../state/state-fault.js';
import type { TransferItem, TransferItems } from '../import/transfer-item.js';
import { checkPolicies, TableHeaderFault } from '../table-header.js';
import { cutJson, type JsonPath, type JsonPiece } from './cut-json.js';
import { AzuriteReader } from './read-azurite.js';
import { entityItem } from './read-ndjson.js';

/**
 * Reads a JSON document: `{"tables":{NAME:[entity, …]},"policies":{NAME:[policy, …]}}`, a list of entities, a page of a query
 * (`{"value":[…]}`), what the Azure CLI prints of one (`{"items":[…]}`), or the data file of Azurite.
 *
 * Errors: StateFault for any other document.
 */
export async function* readJsonDocument(texts: AsyncIterable<string>): TransferItems {
  const azurite = new AzuriteReader();
  const bodies = new AlikeBodies();
  let hasFound = false;
  let isOfAzurite = false;
  for await (const pieces of cutJson(texts, choose)) {
    hasFound ||= pieces.some(({ path }) => path.length > 0);
    isOfAzurite ||= pieces.some(({ path }) => path[0] === 'collections');
    yield pieces.flatMap((piece) => (piece.path[0] === 'collections' ? azurite.read(piece) : readPiece(piece, bodies)));
  }
  if (!hasFound) {
    throw new StateFault(
      'invalid',
      'The JSON contains no data. Expected {"tables":{"Name":[…]}} or a list of entities.',
    );
  }
  if (isOfAzurite) azurite.end();
}

/** Chooses the parts of all kinds of documents at once: their names differ. */
function choose(path: JsonPath): 'enter' | 'cut' | 'skip' {
  const [first, second, , fourth] = path;
  switch (path.length) {
    case 0:
      return 'enter';
    case 1:
      if (typeof first === 'number' || first === 'policies') return 'cut';
      return first === 'tables' || first === 'value' || first === 'items' || first === 'collections' ? 'enter' : 'skip';
    case 2:
      return first === 'value' || first === 'items' ? 'cut' : 'enter';
    case 3:
      if (first === 'tables') return 'cut';
      return path[2] === 'name' ? 'cut' : path[2] === 'data' ? 'enter' : 'skip';
    default:
      return typeof second === 'number' && typeof fourth === 'number' ? 'cut' : 'skip';
  }
}

function readPiece({ path, text, isEntered, line, column }: JsonPiece, bodies: AlikeBodies): readonly TransferItem[] {
  const [first, name] = path;
  if (isEntered) return first === 'tables' && typeof name === 'string' ? [{ kind: 'table', line, name }] : [];
  if (text === undefined) return [{ kind: 'unreadable', line, column, error: new TableError('RequestBodyTooLarge') }];
  if (first === 'policies') return readAllPolicies(text, line);
  return [entityItem(text, line, first === 'items' ? azureCli : bodies, column)];
}

/** Returns the tables of all policies again: they come after the entities. */
function readAllPolicies(text: string, line: number): readonly TransferItem[] {
  try {
    return Object.entries(JSON.parse(text) as object).map(([name, policies]) => ({
      kind: 'table',
      line,
      name,
      policies: checkPolicies(policies),
    }));
  } catch (error) {
    if (error instanceof TableHeaderFault) return [{ kind: 'unreadable', line, error }];
    throw new StateFault('invalid', `Line ${line}: the policies are not valid JSON.`);
  }
}

/**
 * Reads entities as `az storage entity query` prints them: with the ETag as `etag`, and an Int64 as an object with its type. Its other
 * types are plain values, so dates, Guids and binary values are strings.
 */
const azureCli: Pick<AlikeBodies, 'read'> = {
  read(text) {
    const types: JsonMember[] = [];
    const values = readJsonObject(text)
      .filter(({ name }) => name !== 'etag')
      .map((member) => {
        const [type, value] = member.kind === 'nested' ? readTyped(member.json) : [];
        if (!type || !value) return member;
        types.push({ ...type, name: member.name });
        // The service takes a large number only as a string.
        return {
          name: member.name,
          kind: 'string',
          json: value.kind === 'number' ? `"${value.json}"` : value.json,
        } as const;
      });
    return readMembers(values, types);
  },
};

/** Returns type and value of `{"edm_type":"Edm.Int64","value":1}`; nothing for anything else. */
function readTyped(json: string): readonly (JsonMember | undefined)[] {
  try {
    const members = readJsonObject(json);
    return ['edm_type', 'value'].map((wanted) => members.find(({ name }) => name === wanted));
  } catch (error) {
    if (error instanceof TableError) return [];
    throw error;
  }
}
