import { describe, expect, it } from 'vitest';
import { enter, type ScopedNode } from '../../../../src/formats/atom/atom-text.js';
import { parseXml } from '../../../../src/formats/xml/parse-xml.js';

/** Enters an element, its first child, the first child of that, and so on. Returns the deepest. */
function deepestOf(text: string): ScopedNode {
  const root = parseXml(text);
  if (root === undefined) throw new Error('the test has a document that is well-formed');
  let scope = enter(root, undefined);
  for (let [child] = root.children; child !== undefined; [child] = child.children) scope = enter(child, scope);
  return scope;
}

describe('An element', () => {
  it('has the namespaces that it declares and those of its ancestors, the nearest first', () => {
    const text = (name: string) => `<a xmlns="1" xmlns:p="2" xmlns:q="3"><b xmlns:p="4"><${name} p:x="y"/></b></a>`;

    expect(deepestOf(text('c'))).toMatchObject({ namespace: '1', name: 'c' });
    expect(deepestOf(text('p:c'))).toMatchObject({ namespace: '4', name: 'c' });
    expect(deepestOf(text('q:c'))).toMatchObject({ namespace: '3', name: 'c' });
    expect(deepestOf(text('c')).attribute('4', 'x')).toBe('y');
    expect(deepestOf(text('c')).attribute('2', 'x')).toBeUndefined();
  });

  it('can have no namespace within one that has', () => {
    expect(deepestOf('<a xmlns="1"><b xmlns=""><c/></b></a>').namespace).toBe('');
  });

  it('is rejected if nothing declares its prefix', () => {
    expect(() => deepestOf('<a xmlns:p="1"><q:b/></a>')).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
  });

  it('keeps only its own declarations, so that many children of a root with many cost no more than they have', () => {
    const declared = Array.from({ length: 1000 }, (_, at) => `xmlns:p${at}="${at}"`).join(' ');

    const scope = deepestOf(`<a ${declared}><p7:b xmlns:q="x"/></a>`);

    expect(scope.namespace).toBe('7');
    expect([...scope.prefixes]).toEqual([['q', 'x']]);
  });
});
