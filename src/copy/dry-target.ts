import { describeError } from '../dialects/storage/describe-error.js';
import { readEntity } from '../entity/body/read-entity.js';
import { checkEntitySize } from '../entity/stored/entity-size.js';
import { errorOfRejection } from '../operations/rejections.js';
import { prepareInsert } from '../operations/write-entities.js';
import { TableError } from '../protocol/errors.js';
import { emptyResult, type FailedRow, type Target } from './ends/end.js';
import type { Row } from './rows/row.js';

/** Checks rows by the rules of a storage account, and writes nothing. */
export const dryTarget: Target = {
  isOrdered: false,
  open: () => Promise.resolve({ wasEmpty: true }),
  write(_table, rows) {
    const failed = rows.flatMap((row) => faultOf(row) ?? []);
    return Promise.resolve({ ...emptyResult(), written: rows.length - failed.length, failed });
  },
  reader: () => Promise.reject(new Error('a dry run writes nothing')),
};

function faultOf(row: Row): FailedRow | undefined {
  try {
    const change = prepareInsert(readEntity(row.text));
    if (change.kind !== 'insert') return undefined;
    const reason = checkEntitySize(change.key, change.properties);
    if (reason) throw errorOfRejection({ reason, at: 0 });
    return undefined;
  } catch (error) {
    if (error instanceof TableError) return { row, code: error.code, message: describeError(error).message };
    throw error;
  }
}
