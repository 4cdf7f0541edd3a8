import { TableError } from '../../protocol/errors.js';
import type { XmlNode } from '../xml/parse-xml.js';

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
  /** Returns an attribute by namespace. */
  attribute(namespace: string, name: string): string | undefined;
}

/**
 * Finds the namespaces of an element within its parent.
 *
 * Errors: InvalidInput for a prefix that is not declared. Source: Namespaces in XML 1.0, section 6.
 */
export function enter(node: XmlNode, parent: ScopedNode | undefined): ScopedNode {
  // A copy of what it inherits would cost each of many children as much as its ancestors declare.
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
export function childrenNamed(parent: ScopedNode, namespace: string, name: string): ScopedNode[] {
  return parent.node.children
    .map((child) => enter(child, parent))
    .filter((child) => child.namespace === namespace && child.name === name);
}

const none: ReadonlyMap<string, string> = new Map();

/** Returns the namespaces by prefix that an element declares. */
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
