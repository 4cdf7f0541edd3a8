import { readMembers } from '../../entity/body/read-entity.js';
import type { JsonMember } from '../../entity/body/read-json.js';
import { TableError } from '../../protocol/errors.js';
import { atomNamespace, dataNamespace, metadataNamespace } from '../../protocol/headers.js';
import { bodyMembersMax, stringUnitsMax } from '../../protocol/limits.js';
import { BodyText, tableNameOf } from '../body-text.js';
import { findXmlFault, parseXml, type XmlNode } from '../xml/parse-xml.js';
import { decodeElementName } from './element-name.js';

/** The body of a request as text, with an Atom entry for an entity or a table. */
export class AtomText extends BodyText {
  readonly #text: string;

  constructor(text: string) {
    super(text);
    this.#text = text;
  }

  override readEntity() {
    const { values, types } = readEntry(this.#text);
    return readMembers(values, types, stringUnitsMax);
  }

  override readTableName() {
    return tableNameOf(readEntry(this.#text).values);
  }
}

/** The properties of an entry in the form of JSON: values, and type annotations by property name. */
interface EntryProperties {
  readonly values: readonly JsonMember[];
  readonly types: readonly JsonMember[];
}

/**
 * Reads the properties of an Atom entry. Names are matched by namespace, whatever the prefix. Everything else in the entry is
 * ignored, including id and links. A property without a type is a string.
 *
 * Errors: InvalidInput for text that is not one well-formed entry with properties, and for a property that has elements;
 * TooManyProperties for more than `bodyMembersMax`.
 * Source: atom 4; atom 1.2.
 */
function readEntry(text: string): EntryProperties {
  const root = parseXml(text);
  if (root === undefined) {
    const evidence = () => ({ check: 'body-syntax', format: 'XML', fault: findXmlFault(text) }) as const;
    throw new TableError('InvalidInput', { evidence });
  }
  const entry = enter(root, undefined);
  if (entry.namespace !== atomNamespace || entry.name !== 'entry') throw new TableError('InvalidInput');
  const content = onlyChild(entry, atomNamespace, 'content');
  const properties = onlyChild(content, metadataNamespace, 'properties');
  if (properties.node.children.length > bodyMembersMax) throw new TableError('TooManyProperties');
  const values: JsonMember[] = [];
  const types: JsonMember[] = [];
  for (const child of properties.node.children) {
    const property = enter(child, properties);
    if (property.namespace !== dataNamespace) throw new TableError('InvalidInput');
    const type = property.attribute(metadataNamespace, 'type');
    const isNull = /^(?:true|1)$/.test(property.attribute(metadataNamespace, 'null')?.trim() ?? '');
    const name = decodeElementName(property.name);
    values.push(isNull ? { name, kind: 'null', json: 'null' } : readMember(name, child, type));
    if (type !== undefined) types.push(stringMember(name, type));
  }
  return { values, types };
}

function onlyChild(parent: ScopedNode, namespace: string, name: string): ScopedNode {
  const [child, second] = childrenNamed(parent, namespace, name);
  if (child === undefined || second !== undefined) throw new TableError('InvalidInput');
  return child;
}

/** White space at the ends of a string is part of it; XML Schema ignores it in every other type. */
function readMember(name: string, { text, children }: XmlNode, type: string | undefined): JsonMember {
  if (children.length > 0) return { name, kind: 'nested', json: '' };
  if (type === undefined || type === 'Edm.String') return stringMember(name, text);
  const value = text.trim();
  if (type === 'Edm.Boolean' && (value === '0' || value === '1')) {
    return stringMember(name, value === '1' ? 'true' : 'false');
  }
  return stringMember(name, value);
}

function stringMember(name: string, text: string): JsonMember {
  return { name, kind: 'string', json: JSON.stringify(text) };
}

/** An element whose name and attributes are known by namespace. */
export interface ScopedNode {
  readonly node: XmlNode;
  /** Empty if the element has no namespace. */
  readonly namespace: string;
  /** The name without its prefix. */
  readonly name: string;
  /** The namespaces by prefix that it declares itself. The default one has an empty prefix. */
  readonly prefixes: ReadonlyMap<string, string>;
  readonly parent: ScopedNode | undefined;
  attribute(namespace: string, name: string): string | undefined;
}

/**
 * Finds the namespaces of an element within its parent.
 *
 * Errors: InvalidInput for a prefix that is not declared. Source: Namespaces in XML 1.0, section 6.
 */
export function enter(node: XmlNode, parent: ScopedNode | undefined): ScopedNode {
  // Inherited namespaces are not copied: each of many children would pay for all declarations of its ancestors.
  const scope = { prefixes: declaredIn(node), parent };
  const [prefix, name] = splitName(node.name);
  const attribute = (namespace: string, wanted: string) => {
    for (const [full, value] of node.attributes) {
      const [attributePrefix, attributeName] = splitName(full);
      // The default namespace is not that of attributes.
      if (attributeName !== wanted || attributePrefix === '') continue;
      if (declaredFor(attributePrefix, scope) === namespace) return value;
    }
    return undefined;
  };
  return { node, namespace: namespaceOf(prefix, scope), name, ...scope, attribute };
}

/** Returns the children of an element with this name. Errors: as `enter`. */
function childrenNamed(parent: ScopedNode, namespace: string, name: string): ScopedNode[] {
  return parent.node.children
    .map((child) => enter(child, parent))
    .filter((child) => child.namespace === namespace && child.name === name);
}

const none: ReadonlyMap<string, string> = new Map();

function declaredIn({ attributes }: XmlNode): ReadonlyMap<string, string> {
  let prefixes: Map<string, string> | undefined;
  for (const [name, uri] of attributes) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
    prefixes ??= new Map();
    prefixes.set(name.slice('xmlns:'.length), uri);
  }
  return prefixes ?? none;
}

/** Where a prefix is looked up: in an element, then in those around it. */
type Scope = Pick<ScopedNode, 'prefixes' | 'parent'>;

function declaredFor(prefix: string, scope: Scope): string | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    const namespace = at.prefixes.get(prefix);
    if (namespace !== undefined) return namespace;
  }
  return undefined;
}

function namespaceOf(prefix: string, scope: Scope): string {
  const namespace = declaredFor(prefix, scope);
  if (namespace === undefined && prefix !== '') throw new TableError('InvalidInput');
  return namespace ?? '';
}

/** Splits a name into its prefix, which may be empty, and the rest. */
function splitName(name: string): readonly [prefix: string, name: string] {
  const colon = name.indexOf(':');
  return colon < 0 ? ['', name] : [name.slice(0, colon), name.slice(colon + 1)];
}
