import { bodyFaultAt } from '../../entity/body/find-json-fault.js';
import { TableError } from '../../protocol/errors.js';
import {
  markupUnitsMax,
  textReferencesMax,
  xmlElementsMax,
  xmlReferencesMax,
  xmlTextUnitsMax,
} from '../../protocol/limits.js';
import type { BodyFault } from '../../protocol/rejection-evidence.js';
import { readCdata, readXmlText, type TextBound } from '../../protocol/xml/xml-references.js';

/** An element of an XML document. Comments and processing instructions are left out. */
export interface XmlNode {
  /** As written, with its prefix. */
  readonly name: string;
  /** The values by the written name, with its prefix. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Its own text, with the white space at its ends. */
  readonly text: string;
  readonly children: readonly XmlNode[];
}

/** An element whose references are not read yet. */
interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly texts: { readonly written: string; readonly isCdata: boolean }[];
  readonly children: Element[];
}

/** The first fault of a document. `expected` is undefined if the document exceeds a limit. */
interface XmlFault {
  readonly at: number;
  readonly expected: string | undefined;
}

/**
 * Parses an XML document. Returns its root, or undefined if it is not well-formed, has a document type, is nested more deeply than
 * 100 elements, or has more markup than any document of the service. Only the five entities of XML are known. A text that is too
 * long for a value is truncated, but remains too long.
 *
 * Errors: EntityTooLarge for more references than an entity can have.
 */
export function parseXml(text: string): XmlNode | undefined {
  const root = readElements(text.replace(/^\ufeff/, '').trim());
  if ('at' in root) return undefined;
  try {
    return readTexts(root, { units: xmlTextUnitsMax, each: textReferencesMax, remaining: xmlReferencesMax });
  } catch (error) {
    // An unknown reference.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Finds the first fault of an XML body; undefined if it is not known. Called only to explain a rejection. */
export function findXmlFault(text: string): BodyFault | undefined {
  const start = text.length - text.replace(/^\ufeff/, '').trimStart().length;
  const root = readElements(text.slice(start).trimEnd());
  return 'at' in root && root.expected !== undefined ? bodyFaultAt(text, start + root.at, root.expected) : undefined;
}

/** Reads the references of an element and its children. Errors: RangeError for one that does not exist; EntityTooLarge. */
function readTexts({ name, attributes, texts, children }: Element, bound: TextBound): XmlNode {
  const values = [...attributes].map(([name, value]) => [name, readXmlText(value, bound)] as const);
  let text = '';
  for (const { written, isCdata } of texts) {
    text += isCdata ? readCdata(written, bound) : readXmlText(written, bound);
    if (bound.remaining < 0) throw new TableError('EntityTooLarge');
  }
  return { name, attributes: new Map(values), text, children: children.map((child) => readTexts(child, bound)) };
}

/** Maximum nesting. (Our choice: documents of the service have five levels, and this code recurses over them.) */
const depthMax = 100;

const [oneRoot, validTag] = ['one root element', 'a tag with a valid name, and an end tag for it'];
const tooMuch = undefined;

/** Reads the elements of a document, or finds its first fault. */
function readElements(document: string): Element | XmlFault {
  const outside: Element = { name: '', attributes: new Map(), texts: [], children: [] };
  const open = [outside];
  let pieces = 0;
  let units = 0;
  for (let at = 0; at < document.length; ) {
    const parent = open.at(-1) as Element;
    const next = document.indexOf('<', at);
    const written = document.slice(at, next < 0 ? undefined : next);
    if (parent !== outside) parent.texts.push({ written, isCdata: false });
    else if (/\S/.test(written)) return { at: at + written.search(/\S/), expected: oneRoot };
    if (next < 0) break;
    at = next;
    pieces += 1;
    if (pieces > xmlElementsMax) return { at, expected: tooMuch };
    if (document.startsWith('<![CDATA[', at)) {
      if (parent === outside) return { at, expected: oneRoot };
      const end = endOfCdata(document, at + 9);
      if (end < 0) return { at: document.length, expected: ']]>' };
      parent.texts.push({ written: document.slice(at + 9, end - 3), isCdata: true });
      at = end;
      continue;
    }
    let end: number;
    if (document.startsWith('<!--', at)) end = endOf(document, '-->', at + 4);
    else if (document.startsWith('<!', at)) return { at, expected: 'no document type' };
    else if (document.startsWith('<?', at)) {
      if (!isInstruction(document, at)) return { at, expected: validTag };
      end = endOf(document, '?>', at + 2);
    } else if (document.startsWith('</', at)) {
      end = endOfMatch(endTag, document, at);
      if (end < 0 || parent === outside || namedIn(document, at + 2) !== parent.name) return { at, expected: validTag };
      open.pop();
    } else {
      const tag = readTag(document, at);
      if ('at' in tag) return tag;
      if (parent === outside && outside.children.length > 0) return { at, expected: oneRoot };
      parent.children.push(tag.element);
      if (!tag.isEmpty && open.push(tag.element) > depthMax + 1) return { at, expected: tooMuch };
      end = tag.end;
    }
    if (end < 0) return { at: document.length, expected: '>' };
    units += end - at;
    if (units > markupUnitsMax) return { at, expected: tooMuch };
    at = end;
  }
  const [root] = outside.children;
  if (open.length > 1) return { at: document.length, expected: validTag };
  return root ?? { at: document.length, expected: oneRoot };
}

/** The characters of names, of which all but digits, dots and dashes may be the first. Source: XML 1.0, section 2.3. */
const first =
  ':A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd';
const name = `[${first}][-.0-9${first}\\u00b7\\u0300-\\u036f\\u203f\\u2040]*`;
const nameForm = new RegExp(name, 'y');
const endTag = new RegExp(`</${name}[ \\t\\r\\n]*>`, 'y');
const instruction = new RegExp(`<\\?${name}(?=[ \\t\\r\\n?])`, 'y');
const attribute = new RegExp(`[ \\t\\r\\n]+(${name})[ \\t\\r\\n]*=[ \\t\\r\\n]*(?:"([^"]*)"|'([^']*)')`, 'y');
const tagEnd = /[ \t\r\n]*(\/?)>/y;

const wantedAttributes = 'attributes as name="value", each once';

/** Reads the start tag at a place. It is not searched further than markup may reach. */
function readTag(
  document: string,
  start: number,
): { readonly element: Element; readonly isEmpty: boolean; readonly end: number } | XmlFault {
  const text = document.slice(start, start + markupUnitsMax + 1);
  const tagName = namedIn(text, 1);
  if (tagName === '') return { at: start, expected: validTag };
  const attributes = new Map<string, string>();
  let at = 1 + tagName.length;
  for (;;) {
    attribute.lastIndex = at;
    const [whole, key = '', double, single] = attribute.exec(text) ?? [];
    if (whole === undefined) break;
    if (attributes.has(key)) return { at: start + at, expected: wantedAttributes };
    attributes.set(key, double ?? single ?? '');
    at += whole.length;
  }
  tagEnd.lastIndex = at;
  const [whole, slash] = tagEnd.exec(text) ?? [];
  if (whole === undefined) {
    if (text.length > markupUnitsMax) return { at: start, expected: tooMuch };
    const isCut = text.indexOf('>', at) < 0;
    return isCut ? { at: document.length, expected: '>' } : { at: start + at, expected: wantedAttributes };
  }
  const element = { name: tagName, attributes, texts: [], children: [] };
  return { element, isEmpty: slash === '/', end: start + at + whole.length };
}

/** Returns the name at a place; empty if there is none. */
function namedIn(document: string, at: number): string {
  const end = endOfMatch(nameForm, document, at);
  return end < 0 ? '' : document.slice(at, end);
}

/** Whether a processing instruction begins at a place. The declaration is one, which only begins a document. */
function isInstruction(document: string, at: number): boolean {
  const isDeclaration = /^<\?xml[ \t\r\n?]/i.test(document.slice(at, at + 6));
  return endOfMatch(instruction, document, at) >= 0 && (at === 0 || !isDeclaration);
}

/** Returns the end of a pattern's match at a place; below 0 if it does not match there. */
function endOfMatch(pattern: RegExp, document: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(document) ? pattern.lastIndex : -1;
}

/** Searches as far as markup may reach, because `indexOf` takes 40 milliseconds for 4 MiB of the first character. */
function endOf(document: string, last: string, from: number): number {
  const found = document.slice(from, from + markupUnitsMax).indexOf(last);
  return found < 0 ? -1 : from + found + last.length;
}

const closingBracket = 0x5d;
const greaterThan = 0x3e;

/** CDATA may be as long as the document. The search is fast even among brackets of either kind. */
function endOfCdata(document: string, from: number): number {
  for (let at = from + 2; at < document.length; ) {
    const unit = document.charCodeAt(at);
    if (unit === greaterThan && document.startsWith(']]>', at - 2)) return at + 1;
    at += unit === closingBracket ? 1 : 3;
  }
  return -1;
}
