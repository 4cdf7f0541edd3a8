import { TableError } from '../../protocol/errors.js';
import type { XmlNode } from '../xml/parse-xml.js';

/** An element whose name and attributes are known by namespace. */
export interface ScopedNode {
  readonly node: XmlNode;
  /** Empty if the element has no namespace. */
  readonly namespace: string;
  /** The name without its prefix. */
  readonly name: string;
  /** The namespaces by prefix that its children inherit. The default one has an empty prefix. */
  readonly prefixes: ReadonlyMap<string, string>;
  /** Returns an attribute by namespace. */
  attribute(namespace: string, name: string): string | undefined;
}

/**
 * Finds the namespaces of an element within its parent.
 *
 * Errors: InvalidInput for a prefix that is not declared. Source: Namespaces in XML 1.0, section 6.
 */
export function enter(node: XmlNode, parent: ScopedNode | undefined): ScopedNode {
  const prefixes = declaredIn(node, parent?.prefixes);
  const [prefix, name] = splitName(node.name);
  const attribute = (namespace: string, wanted: string) => {
    for (const [full, value] of node.attributes) {
      const [attributePrefix, attributeName] = splitName(full);
      // The default namespace is not that of attributes.
      if (attributeName !== wanted || attributePrefix === '') continue;
      if (prefixes.get(attributePrefix) === namespace) return value;
    }
    return undefined;
  };
  return { node, namespace: namespaceOf(prefix, prefixes), name, prefixes, attribute };
}

/** Returns the children of an element with this name. Errors: as `enter`. */
export function childrenNamed(parent: ScopedNode, namespace: string, name: string): ScopedNode[] {
  return parent.node.children
    .map((child) => enter(child, parent))
    .filter((child) => child.namespace === namespace && child.name === name);
}

const none: ReadonlyMap<string, string> = new Map();

/** Returns the namespaces by prefix after the declarations of an element. */
function declaredIn({ attributes }: XmlNode, inherited = none): ReadonlyMap<string, string> {
  let prefixes: Map<string, string> | undefined;
  for (const [name, uri] of attributes) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
    prefixes ??= new Map(inherited);
    prefixes.set(name.slice('xmlns:'.length), uri);
  }
  return prefixes ?? inherited;
}

function namespaceOf(prefix: string, prefixes: ReadonlyMap<string, string>): string {
  const namespace = prefixes.get(prefix);
  if (namespace === undefined && prefix !== '') throw new TableError('InvalidInput');
  return namespace ?? '';
}

/** Splits a name into its prefix, which may be empty, and the rest. */
function splitName(name: string): readonly [prefix: string, name: string] {
  const colon = name.indexOf(':');
  return colon < 0 ? ['', name] : [name.slice(0, colon), name.slice(colon + 1)];
}
