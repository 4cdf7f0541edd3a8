import { type EntityText, etagOf } from '../../entity/stored/entity.js';
import { readJsonString } from '../../entity/stored/json-text.js';
import { readValues, type StoredValue } from '../../entity/stored/read-property.js';
import { entityPath, keyOf } from '../../entity/stored/write-row.js';
import { atomNamespace, dataNamespace, metadataNamespace } from '../../protocol/headers.js';
import type { EdmType } from '../../protocol/values/edm.js';
import { escapeAnyText, escapeXmlAttribute, escapeXmlText } from '../../protocol/xml/xml-text.js';
import type { Select } from '../../query/select.js';
import type { Body } from '../json/page-buffer.js';
import { type AtomRepresentation, tablePath } from '../representation.js';
import { type PageWriting, type RowsToWrite, writeRows } from '../write-rows.js';
import { encodeElementName } from './element-name.js';

/** The beginning of every document in Atom. It has no byte order mark. Source: atom 3. */
const atomDeclaration = '<?xml version="1.0" encoding="utf-8"?>';

/** The scheme of an entry's category. Source: atom 3.1. */
const dataScheme = `${dataNamespace}/scheme`;

const ofProperties = ` xmlns="${atomNamespace}" xmlns:d="${dataNamespace}" xmlns:m="${metadataNamespace}"`;
const ofGeography = ' xmlns:georss="http://www.georss.org/georss" xmlns:gml="http://www.opengis.net/gml"';

/** Returns the attributes of the root of a document: its base and the namespaces. Source: atom 3.1. */
function namespacesOf({ declaresGeography, links }: AtomRepresentation): string {
  const base = ` xml:base="${escapeXmlAttribute(links.base)}/"`;
  return base + ofProperties + (declaresGeography ? ofGeography : '');
}

interface Entry {
  /** Absent for tables. */
  readonly etag?: string;
  /** The path of the entity or the table, relative to the base. */
  readonly path: string;
  /** The table of the entity, or `Tables`. */
  readonly table: string;
  readonly properties: string;
}

/** Writes an entry: as a document if it has the namespaces of a `root`, else within a feed. Source: atom 3.1; atom 3.2. */
function writeEntry(
  { etag, path, table, properties }: Entry,
  { updated, links }: AtomRepresentation,
  root = '',
): string {
  const tag = etag === undefined ? '' : ` m:etag="${escapeXmlAttribute(etag)}"`;
  const href = escapeXmlAttribute(path);
  const title = escapeXmlAttribute(table);
  return (
    `${root && atomDeclaration}<entry${root}${tag}><id>${escapeXmlText(`${links.base}/${path}`)}</id>` +
    `<category term="${escapeXmlAttribute(links.account)}.${title}" scheme="${dataScheme}" />` +
    `<link rel="edit" title="${title}" href="${href}" /><title /><updated>${updated}</updated>` +
    `<author><name /></author><content type="application/xml"><m:properties>${properties}</m:properties></content></entry>`
  );
}

/** A feed as input of `writeFeed`, with the table of its entities, or `Tables`. */
type FeedToWrite = Omit<RowsToWrite, 'join'> & { readonly table: string };

/** Writes a feed as a document. Errors: those of `writeRows`. Source: atom 3.2; atom 9. */
function writeFeed(
  { table, rows, writeRow, writing }: FeedToWrite,
  representation: AtomRepresentation,
): Body | Promise<Body> {
  const { updated, links } = representation;
  const title = escapeXmlAttribute(table);
  const path = encodeURIComponent(table);
  const id = escapeXmlText(`${links.base}/${path}`);
  const head =
    `${atomDeclaration}<feed${namespacesOf(representation)}><id>${id}</id><title type="text">${escapeXmlText(table)}</title>` +
    `<updated>${updated}</updated><link rel="self" title="${title}" href="${path}" />`;
  // A feed needs an author, which entries have otherwise.
  const author = rows.length === 0 ? '<author><name /></author>' : '';
  const join = (pieces: readonly string[]) => `${head}${author}${pieces.join('')}</feed>`;
  return writeRows({ rows, writeRow, join, writing });
}

/** Writes the body of an answer with a single entity. Source: atom 3.1. */
export function writeEntity(text: EntityText, select: Select | undefined, representation: AtomRepresentation): string {
  return writeEntry(entryOf(text, select, representation), representation, namespacesOf(representation));
}

/** Writes the body of an answer with a page of entities. Errors: those of `writeRows`. Source: atom 3.2. */
export function writeEntityPage(
  rows: readonly EntityText[],
  select: Select | undefined,
  representation: AtomRepresentation,
  writing: PageWriting,
): Body | Promise<Body> {
  const writeRow = (text: EntityText) => writeEntry(entryOf(text, select, representation), representation);
  return writeFeed({ table: representation.links.table, rows, writeRow, writing }, representation);
}

/** Returns the entry of an entity. Its tag and links are complete whatever is selected. Source: atom 3.3; atom 3.4. */
function entryOf(text: EntityText, select: Select | undefined, { links }: AtomRepresentation): Entry {
  const values = readValues(text);
  const names = select?.names ?? values.keys();
  let properties = '';
  for (const name of names) properties += writeProperty(name, values.get(name));
  const path = entityPath(links.table, keyOf(text, 'PartitionKey'), keyOf(text, 'RowKey'));
  return { etag: etagOf(text), path, table: links.table, properties };
}

/** White space that XML readers may drop from the ends of a text. */
const outerSpace = /^[ \t\r\n]|[ \t\r\n]$/;

/**
 * Writes a property of an entry. `value` is absent if a selected property is missing in the entity. Strings have no type.
 * Source: atom 3.3; atom 3.4.
 */
function writeProperty(name: string, value: StoredValue | undefined): string {
  const element = encodeElementName(name);
  if (value === undefined) return `<d:${element} m:null="true" />`;
  const { type, json } = value;
  if (type !== 'Edm.String') return `<d:${element} m:type="${type}">${writeValue(type, json)}</d:${element}>`;
  const text = readJsonString(json);
  const space = outerSpace.test(text) ? ' xml:space="preserve"' : '';
  return `<d:${element}${space}>${escapeAnyText(text)}</d:${element}>`;
}

/** Returns the text of a value that is not a string. Its JSON is a number, a word or a string without escapes. */
function writeValue(type: EdmType, json: string): string {
  const text = json.startsWith('"') ? json.slice(1, -1) : json;
  return type === 'Edm.Double' ? writeDouble(text) : text;
}

/** Returns a double as XML writes it: a whole number without a fraction, and INF. Source: XML Schema, section 3.2.5. */
function writeDouble(text: string): string {
  return text.replace(/\.0$/, '').replace('Infinity', 'INF');
}

const table = 'Tables';

/** Writes the body of an answer with a single table. Source: atom 3.1. */
export function writeTable(name: string, representation: AtomRepresentation): string {
  return writeEntry(tableEntryOf(name), representation, namespacesOf(representation));
}

/** Writes the body of an answer with a page of tables. Errors: those of `writeRows`. Source: atom 3.2. */
export function writeTablePage(
  names: readonly string[],
  representation: AtomRepresentation,
  writing: PageWriting,
): Body | Promise<Body> {
  const writeRow = (name: string) => writeEntry(tableEntryOf(name), representation);
  return writeFeed({ table, rows: names, writeRow, writing }, representation);
}

function tableEntryOf(name: string): Entry {
  return { path: tablePath(name), table, properties: `<d:TableName>${escapeXmlText(name)}</d:TableName>` };
}
