import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { TableError } from '../../protocol/errors.js';
import { textReferencesMax, xmlReferencesMax, xmlTextUnitsMax } from '../../protocol/limits.js';
import { readCdata, readXmlText } from '../../protocol/xml/xml-references.js';
import { type SeparatedText, separateTexts } from './bound-markup.js';

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
  jPath: false,
  // The parser would put `__` before names such as toString. A member of that name harms nothing here: nodes are only listed.
  onDangerousProperty: (name) => name,
});

/**
 * Parses an XML document. Returns its root, or undefined if it is not well-formed, has a document type, or has more
 * markup than any document of the service. Entities that a document defines are never expanded. A text that is too long for a value
 * is not read to its end, but is too long also here.
 *
 * Nesting is limited by the parser, to 100. Errors: EntityTooLarge for more references than an entity can have.
 */
export function parseXml(text: string): XmlNode | undefined {
  const document = text.replace(/^\ufeff/, '').trim();
  // The validator accepts text after a root element without content.
  const separated = document.endsWith('>') ? separateTexts(document) : undefined;
  if (!separated?.markup.endsWith('>') || XMLValidator.validate(separated.markup) !== true) return undefined;
  try {
    const { children } = new Reader(separated.texts).read(parser.parse(separated.markup));
    return children.length === 1 ? children[0] : undefined;
  } catch (error) {
    if (error instanceof TableError) throw error;
    // The parser throws at its limits and for references that do not exist.
    return undefined;
  }
}

/** Converts the parser's result. */
class Reader {
  readonly #texts: readonly SeparatedText[];
  readonly #bound = { units: xmlTextUnitsMax, each: textReferencesMax, left: xmlReferencesMax };

  constructor(texts: readonly SeparatedText[]) {
    this.#texts = texts;
  }

  /**
   * Converts an array of objects with one member each, named after the element, or `#text`. Errors: RangeError for an unknown
   * reference; EntityTooLarge.
   */
  read(nodes: unknown): Pick<XmlNode, 'text' | 'children'> {
    let text = '';
    const children: XmlNode[] = [];
    for (const node of Array.isArray(nodes) ? (nodes as readonly object[]) : []) {
      for (const [name, content] of Object.entries(node) as [string, unknown][]) {
        if (name === '#text') text += this.#readText(String(content));
        else if (name !== attributesKey)
          children.push({ name, attributes: this.#attributesOf(node), ...this.read(content) });
      }
    }
    return { text, children };
  }

  /** Puts the separated texts back. */
  #readText(content: string): string {
    return content.replace(/(\d+);/g, (_, at: string) => {
      const { written, isCdata } = this.#texts[Number(at)] as SeparatedText;
      const text = isCdata ? readCdata(written, this.#bound) : readXmlText(written, this.#bound);
      if (this.#bound.left < 0) throw new TableError('EntityTooLarge');
      return text;
    });
  }

  #attributesOf(node: object): ReadonlyMap<string, string> {
    const [, attributes] = Object.entries(node).find(([name]) => name === attributesKey) ?? [];
    const read = Object.entries((attributes ?? {}) as object) as [string, unknown][];
    return new Map(read.map(([name, value]) => [name, readXmlText(String(value), this.#bound)]));
  }
}
