import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { readReferences } from '../../protocol/xml/xml-references.js';
import { separateTexts } from './bound-markup.js';

/** An element of an XML document. Comments and processing instructions are left out. */
export interface XmlNode {
  /** As written, with its prefix. */
  readonly name: string;
  /** As written, by name with prefix. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Its own text, with the white space at its ends. */
  readonly text: string;
  readonly children: readonly XmlNode[];
}

const attributesKey = ':@';

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  // The parser itself does not decode character references, which Go clients send for quotes.
  processEntities: false,
  cdataPropName: '#cdata',
  jPath: false,
  // The parser would put `__` before names such as toString. A member of that name harms nothing here: nodes are only listed.
  onDangerousProperty: (name) => name,
});

/**
 * Parses an XML document. Returns its root, or undefined if it is not well-formed, has a document type, or has more
 * markup than any document of the service. Entities that a document defines are never expanded.
 *
 * Nesting is limited by the parser, to 100.
 */
export function parseXml(text: string): XmlNode | undefined {
  const document = text.replace(/^\ufeff/, '').trim();
  // The validator accepts text after a root element without content.
  const separated = document.endsWith('>') ? separateTexts(document) : undefined;
  if (!separated || XMLValidator.validate(separated.markup) !== true) return undefined;
  try {
    const { children } = readNodes(parser.parse(separated.markup), separated.texts);
    return children.length === 1 ? children[0] : undefined;
  } catch {
    // The parser throws at its limits and for references that do not exist.
    return undefined;
  }
}

/** Converts the parser's result: an array of objects with one member each, named after the element, or `#text`. */
function readNodes(nodes: unknown, texts: readonly string[]): Pick<XmlNode, 'text' | 'children'> {
  let text = '';
  const children: XmlNode[] = [];
  for (const node of Array.isArray(nodes) ? (nodes as readonly object[]) : []) {
    for (const [name, content] of Object.entries(node) as [string, unknown][]) {
      if (name === '#text') text += readText(String(content), texts);
      else if (name === '#cdata') text += cdataOf(content);
      else if (name !== attributesKey)
        children.push({ name, attributes: attributesOf(node), ...readNodes(content, texts) });
    }
  }
  return { text, children };
}

/** Puts the separated texts back. Errors: RangeError for an unknown reference. */
function readText(content: string, texts: readonly string[]): string {
  return content.replace(/(\d+);/g, (_, at) => {
    const text = texts[at] ?? '';
    // References in hex have a small x. Source: XML 1.0, section 4.1.
    if (text.includes('&#X')) throw new RangeError('unknown reference');
    return readReferences(text.replace(/\r\n?/g, '\n'));
  });
}

function attributesOf(node: object): ReadonlyMap<string, string> {
  const [, attributes] = Object.entries(node).find(([name]) => name === attributesKey) ?? [];
  const read = Object.entries((attributes ?? {}) as object) as [string, unknown][];
  return new Map(read.map(([name, value]) => [name, readReferences(String(value))]));
}

function cdataOf(content: unknown): string {
  return (content as readonly { readonly '#text': unknown }[]).map((part) => String(part['#text'])).join('');
}
