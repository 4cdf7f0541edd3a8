import type { JsonMember } from '../../entity/body/read-json.js';
import { TableError } from '../../protocol/errors.js';
import { atomNamespace, dataNamespace, metadataNamespace } from '../../protocol/headers.js';
import { bodyMembersMax } from '../../protocol/limits.js';
import { findXmlFault } from '../xml/find-xml-fault.js';
import { parseXml, type XmlNode } from '../xml/parse-xml.js';
import { decodeElementName } from './element-name.js';
import { childrenNamed, enter, type ScopedNode } from './scoped-node.js';

/** The properties of an entry in the form of JSON: values, and type annotations by the name that they are about. */
export interface EntryProperties {
  readonly values: readonly JsonMember[];
  readonly types: readonly JsonMember[];
}

/**
 * Reads the properties of an Atom entry. Names count by their namespace, whatever the prefix. Everything in the entry but its
 * properties is ignored, as are its id and its links. A property without a type is a string.
 *
 * Errors: InvalidInput for text that is not one well-formed entry with properties, and for a property that has elements;
 * TooManyProperties for more than `bodyMembersMax`.
 * Source: atom 4; atom 1.2.
 */
export function readEntry(text: string): EntryProperties {
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
