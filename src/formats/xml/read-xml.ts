import { bodyFaultAt } from '../../entity/body/find-json-fault.js';
import { TableError } from '../../protocol/errors.js';
import { ownText } from '../../remembered.js';
import { findXmlFault, parseXml, type XmlNode } from './parse-xml.js';

/** An element of an XML document. Attributes and comments are ignored, as the service does. */
export interface XmlElement {
  readonly name: string;
  /** The names of its parents and its own, with slashes between them. */
  readonly path: string;
  /** Its own text without white space at its ends. It shares no memory with the document: policies and settings keep it. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/** Longest document. Unit: UTF-16 code units. (Our choice: the largest of the service has a few kilobytes, and 4 MiB would take long.) */
const documentUnitsMax = 256 * 1024;

const tooLong = `the end of the document, which may have ${documentUnitsMax} characters,`;

/**
 * Reads an XML document.
 *
 * Errors: InvalidXmlDocument for text that is not well-formed or longer than `documentUnitsMax`, and for a document type, which
 * the service refuses.
 */
export async function readXml(text: string): Promise<XmlElement> {
  const root = text.length > documentUnitsMax ? undefined : parseXml(text);
  if (root === undefined) {
    const fault = () =>
      text.length > documentUnitsMax ? bodyFaultAt(text, documentUnitsMax, tooLong) : findXmlFault(text);
    const evidence = () => ({ check: 'body-syntax', format: 'XML', fault: fault() }) as const;
    throw new TableError('InvalidXmlDocument', { evidence });
  }
  return trimmed(root, '');
}

function trimmed({ name, text, children }: XmlNode, parent: string): XmlElement {
  const path = parent + name;
  return { name, path, text: ownText(text.trim()), children: children.map((child) => trimmed(child, `${path}/`)) };
}

/**
 * Returns the error for a fault of a document; the service has one code for nearly all. `needs` is what it wants there, as a
 * sentence. Source: checks-order 9.
 */
export function invalidXml(
  { path, text }: Pick<XmlElement, 'path' | 'text'>,
  needs: string,
  fault: 'unexpected' | 'missing' | 'value' = 'value',
  code: 'InvalidXmlDocument' | 'InvalidXmlNodeValue' = 'InvalidXmlDocument',
): TableError {
  const value = text.slice(0, shownUnitsMax);
  return new TableError(code, { evidence: () => ({ check: 'xml-element', path, fault, value, needs }) });
}

/** How much of a text an explanation can show. Unit: UTF-16 code units. */
const shownUnitsMax = 80;

/** Checks the name of an element. Errors: InvalidXmlDocument. */
export function checkName(element: XmlElement, expected: string): void {
  if (element.name !== expected) throw invalidXml(element, `Send the element ${expected} there.`, 'unexpected');
}

/** The children of an element, each at most once. */
export interface Fields<Name extends string> {
  find(name: Name): XmlElement | undefined;
  /** Errors: InvalidXmlDocument if it is missing. */
  get(name: Name): XmlElement;
}

/** Returns the children of an element by name. Errors: InvalidXmlDocument for an unexpected or repeated child. */
export function readFields<Name extends string>(element: XmlElement, expected: readonly Name[]): Fields<Name> {
  const needs = `${element.name} may have once each: ${expected.join(', ')}.`;
  const fields = new Map<string, XmlElement>();
  for (const child of element.children) {
    if (!expected.some((name) => name === child.name) || fields.has(child.name)) {
      throw invalidXml(child, needs, 'unexpected');
    }
    fields.set(child.name, child);
  }
  return {
    find: (name) => fields.get(name),
    get(name) {
      const child = fields.get(name);
      if (!child) throw invalidXml({ path: `${element.path}/${name}`, text: '' }, needs, 'missing');
      return child;
    },
  };
}
