import { TableError } from '../protocol/errors.js';

/** An element of a document the service reads: attributes and comments mean nothing to it. */
export interface XmlElement {
  readonly name: string;
  /** Its own text, blanks around it cut. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/**
 * Reads an XML document.
 *
 * Errors: InvalidXmlDocument for what is not well-formed, and for document types, which the service does not take.
 */
export async function readXml(text: string): Promise<XmlElement> {
  const document = text.replace(/^\ufeff/, '').trim();
  // Loaded when it is first needed: most servers never see XML.
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  // The validator overlooks text behind a root that closes itself.
  const ends = document.endsWith('>');
  if (!ends || /<!DOCTYPE/i.test(document) || XMLValidator.validate(document) !== true) throw invalidXml();
  const parser = new XMLParser({
    preserveOrder: true,
    parseTagValue: false,
    trimValues: false,
    ignoreDeclaration: true,
    // The parser's own reading leaves character references as they are; Go writes quotes as such.
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

/** The one code for everything that is wrong with such a document. Source: checks-order 9. */
export function invalidXml(): TableError {
  return new TableError('InvalidXmlDocument');
}

/** The parser's own shape: an array of objects with one member each, named like the element, or `#text`. */
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

/** The references that XML defines by name. A map: an object has more names than were put into it. */
const named: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Puts the characters that references stand for. Errors: InvalidXmlDocument for one that stands for none. */
function readReferences(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|([^;]*));?/gi, (reference, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    const character = code === undefined ? named.get(name) : code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
    if (character === undefined || !reference.endsWith(';')) throw invalidXml();
    return character;
  });
}

/** The children of an element by name, each there at most once and none but the expected. Errors: InvalidXmlDocument. */
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

/** Begins every XML answer; the byte order mark is the service's. Source: operations 4.2. */
export const xmlDeclaration = '\ufeff<?xml version="1.0" encoding="utf-8"?>';
