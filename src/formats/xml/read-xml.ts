import { TableError } from '../../protocol/errors.js';
import type { XmlNode } from './parse-xml.js';

/** An element of an XML document. Attributes and comments are ignored, as the service does. */
export interface XmlElement {
  readonly name: string;
  /** Its own text without white space at its ends. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/**
 * Reads an XML document.
 *
 * Errors: InvalidXmlDocument for text that is not well-formed, and for a document type, which the service refuses.
 */
export async function readXml(text: string): Promise<XmlElement> {
  // Loaded on demand, because most servers never get XML.
  const { parseXml } = await import('./parse-xml.js');
  const root = parseXml(text);
  if (root === undefined) {
    const { findXmlFault } = await import('./find-xml-fault.js');
    const evidence = () => ({ check: 'body-syntax', format: 'XML', fault: findXmlFault(text) }) as const;
    throw new TableError('InvalidXmlDocument', { evidence });
  }
  return trimmed(root);
}

function trimmed({ name, text, children }: XmlNode): XmlElement {
  return { name, text: text.trim(), children: children.map(trimmed) };
}

/** Returns the error for every fault of a document. The service has one code for all. Source: checks-order 9. */
export function invalidXml(): TableError {
  return new TableError('InvalidXmlDocument');
}

/** Returns the children of an element by name. Errors: InvalidXmlDocument for an unexpected or repeated child. */
export function readFields<Name extends string>(
  element: XmlElement,
  expected: readonly Name[],
): Partial<Record<Name, XmlElement>> {
  const fields: Partial<Record<Name, XmlElement>> = {};
  for (const child of element.children) {
    const name = expected.find((candidate) => candidate === child.name);
    if (name === undefined || fields[name] !== undefined) throw invalidXml();
    fields[name] = child;
  }
  return fields;
}
