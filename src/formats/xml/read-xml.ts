import { TableError } from '../../protocol/errors.js';

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
  const document = text.replace(/^\ufeff/, '').trim();
  // Loaded on demand, because most servers never get XML.
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  // The validator accepts text after a root element without content.
  const ends = document.endsWith('>');
  if (!ends || /<!DOCTYPE/i.test(document) || XMLValidator.validate(document) !== true) throw invalidXml();
  const parser = new XMLParser({
    preserveOrder: true,
    parseTagValue: false,
    trimValues: false,
    ignoreDeclaration: true,
    // The parser itself does not decode character references, which Go clients send for quotes.
    processEntities: false,
    cdataPropName: '#cdata',
  });
  let nodes: unknown;
  try {
    nodes = parser.parse(document);
  } catch {
    throw invalidXml();
  }
  const roots = readNodes(nodes).children;
  const [root] = roots;
  if (root === undefined || roots.length > 1) throw invalidXml();
  return root;
}

/** Returns the error for every fault of a document. The service has one code for all. Source: checks-order 9. */
export function invalidXml(): TableError {
  return new TableError('InvalidXmlDocument');
}

/** Converts the parser's result: an array of objects with one member each, named after the element, or `#text`. */
function readNodes(nodes: unknown): Pick<XmlElement, 'text' | 'children'> {
  let text = '';
  const children: XmlElement[] = [];
  for (const node of Array.isArray(nodes) ? nodes : []) {
    for (const [name, content] of Object.entries(node as Record<string, unknown>)) {
      if (name === '#text') text += readReferences(String(content));
      else if (name === '#cdata') text += cdataOf(content);
      else if (name !== ':@') children.push({ name, ...readNodes(content) });
    }
  }
  return { text: text.trim(), children };
}

function cdataOf(content: unknown): string {
  return (content as readonly { readonly '#text': unknown }[]).map((part) => String(part['#text'])).join('');
}

/** The references that XML defines by name. A map, because an object also has inherited names. */
const named: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Replaces references with their characters. Errors: InvalidXmlDocument for an unknown reference. */
function readReferences(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|([^;]*));?/gi, (reference, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    const character = code === undefined ? named.get(name) : code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
    if (character === undefined || !reference.endsWith(';')) throw invalidXml();
    return character;
  });
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
