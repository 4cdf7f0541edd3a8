import type { EntityText } from '../entity/stored/entity.js';
import type { Select } from '../query/select.js';
import * as atomEntity from './atom/write-atom.js';
import * as atomTable from './atom/write-atom.js';
import type { Body } from './json/page-buffer.js';
import * as jsonEntity from './json/write-json.js';
import * as jsonTable from './json/write-json.js';
import type { Representation } from './representation.js';
import type { PageWriting } from './write-rows.js';

/** Writes the body of an answer with a single entity. */
export function writeEntity(text: EntityText, select: Select | undefined, form: Representation): string {
  return form.level === 'atom'
    ? atomEntity.writeEntity(text, select, form)
    : jsonEntity.writeEntity(text, select, form);
}

/**
 * Writes the body of an answer with a page of entities.
 *
 * Errors: those of `writeRows`.
 */
export function writeEntityPage(
  rows: readonly EntityText[],
  select: Select | undefined,
  form: Representation,
  writing: PageWriting,
): Body | Promise<Body> {
  return form.level === 'atom'
    ? atomEntity.writeEntityPage(rows, select, form, writing)
    : jsonEntity.writeEntityPage(rows, select, form, writing);
}

/** Writes the body of an answer with a single table. */
export function writeTable(name: string, form: Representation): string {
  return form.level === 'atom' ? atomTable.writeTable(name, form) : jsonTable.writeTable(name, form);
}

/**
 * Writes the body of an answer with a page of tables.
 *
 * Errors: those of `writeRows`.
 */
export function writeTablePage(
  names: readonly string[],
  form: Representation,
  writing: PageWriting,
): Body | Promise<Body> {
  return form.level === 'atom'
    ? atomTable.writeTablePage(names, form, writing)
    : jsonTable.writeTablePage(names, form, writing);
}
