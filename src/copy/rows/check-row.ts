import { describeError } from '../../dialects/storage/describe-error.js';
import { readEntity } from '../../entity/body/read-entity.js';
import { checkEntitySize } from '../../entity/stored/entity-size.js';
import { errorOfRejection } from '../../operations/rejections.js';
import { prepareInsert } from '../../operations/write-entities.js';
import { TableError } from '../../protocol/errors.js';
import type { Row } from './row.js';

/** Returns why a storage account would reject a row; undefined if it would take it. */
export function faultOfRow({ text }: Row): { readonly code: string; readonly message: string } | undefined {
  try {
    const change = prepareInsert(readEntity(text));
    if (change.kind !== 'insert') return { code: 'PropertiesNeedValue', message: 'The entity lacks a key.' };
    const reason = checkEntitySize(change.key, change.properties);
    if (reason) throw errorOfRejection({ reason, at: 0 });
    return undefined;
  } catch (error) {
    if (error instanceof TableError) return { code: error.code, message: describeError(error).message };
    throw error;
  }
}
