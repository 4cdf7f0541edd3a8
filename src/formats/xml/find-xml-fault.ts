import { XMLValidator } from 'fast-xml-parser';
import { bodyFaultAt } from '../../entity/body/find-json-fault.js';
import type { BodyFault } from '../../protocol/refusal-evidence.js';
import { separateTexts } from './bound-markup.js';

/** Longest body that is searched. Unit: UTF-16 code units. Ours: the search of a hostile one takes about 20 milliseconds. */
const searchedUnitsMax = 64 * 1024;

/** What the kinds of faults of the validator want. Its own sentences contain names from the body. */
const wanted: ReadonlyMap<string, string> = new Map([
  ['InvalidTag', 'a tag with a valid name, and an end tag for it'],
  ['InvalidAttr', 'attributes as name="value", each once'],
  ['InvalidChar', 'a character that XML allows here'],
]);

/**
 * Finds where a body stops being XML; undefined if that is not known, or if the body is longer or has more markup than what
 * is searched. It is called only to explain a refusal.
 */
export function findXmlFault(text: string): BodyFault | undefined {
  if (text.length > searchedUnitsMax) return undefined;
  // The document may begin after white space and a byte order mark, as `parseXml` reads it.
  const start = text.length - text.replace(/^\ufeff/, '').trimStart().length;
  const document = text.slice(start).trimEnd();
  if (!separateTexts(document)) return findMarkupFault(text);
  const result = XMLValidator.validate(document);
  if (result === true) return document.endsWith('>') ? undefined : bodyFaultAt(text, start + document.length, '>');
  const { code, line, col } = result.err;
  const at = start + positionOf(document, line, col);
  return bodyFaultAt(text, at, wanted.get(code) ?? 'one root element');
}

/** Finds a fault without the validator, which is slow for some documents. */
function findMarkupFault(text: string): BodyFault | undefined {
  if (text.lastIndexOf('<') > text.lastIndexOf('>')) return bodyFaultAt(text, text.length, '>');
  const doctype = text.search(/<!DOCTYPE/i);
  return doctype < 0 ? undefined : bodyFaultAt(text, doctype, 'no document type');
}

/** Returns the position of a line and a column, which begin at 1. The validator leaves the column out at the first one. */
function positionOf(document: string, line: number, column = 1): number {
  let start = 0;
  for (let passed = 1; passed < line; passed++) start = document.indexOf('\n', start) + 1;
  return Math.min(start + column - 1, document.length);
}
