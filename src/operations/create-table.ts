import { readJsonString } from '../entity/json-text.js';
import { readJsonObject } from '../entity/read-json.js';
import { TableError } from '../protocol/errors.js';
import { checkTableName } from '../protocol/names.js';
import { isRefusal } from '../store/store.js';
import type { StoreOperation } from './operation.js';
import { errorOfRefusal } from './refusals.js';
import { answerCreated } from './table-body.js';

/**
 * Create Table: POST of a name to the table collection.
 *
 * Answers 201 with the table, or 204 when the caller prefers no content.
 * Errors: TableAlreadyExists (409), InvalidResourceName, OutOfRangeInput, InvalidInput, PropertiesNeedValue (400).
 * Source: operations 8.2; checks-order 4.
 */
export const createTable: StoreOperation<string> = {
  name: 'Create Table',
  kind: 'store',

  read({ body }) {
    return readTableName(body);
  },

  async run(request, store, name) {
    checkName(name);
    const outcome = await store.createTable(request.account, name);
    if (isRefusal(outcome)) throw errorOfRefusal(outcome);
    return answerCreated(request, name);
  },
};

function readTableName(body: string): string {
  const members = readJsonObject(body).filter(({ name }) => name === 'TableName');
  const [member] = members;
  if (members.length > 1) throw new TableError('DuplicatePropertiesSpecified');
  if (member === undefined || member.token.kind === 'null') throw new TableError('PropertiesNeedValue');
  if (member.token.kind !== 'string') throw new TableError('InvalidInput');
  return readJsonString(member.token.json);
}

function checkName(name: string): void {
  const fault = checkTableName(name);
  if (fault === 'length') {
    throw new TableError('OutOfRangeInput', { variant: { name: 'table-name-length' } });
  }
  if (fault === 'characters') throw new TableError('InvalidResourceName');
  if (fault === 'reserved') throw new TableError('InvalidInput', { variant: { name: 'table-name-reserved' } });
}
