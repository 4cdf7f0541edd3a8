import { atomNamespace, dataNamespace, metadataNamespace } from '../../protocol/headers.js';
import { escapeXmlAttribute } from '../../protocol/xml/xml-text.js';
import type { AtomRepresentation } from '../representation.js';

/** The beginning of every document in Atom. It has no byte order mark. Source: atom 3. */
export const atomDeclaration = '<?xml version="1.0" encoding="utf-8"?>';

/** The scheme of an entry's category. Source: atom 3.1. */
export const dataScheme = `${dataNamespace}/scheme`;

const ofProperties = ` xmlns="${atomNamespace}" xmlns:d="${dataNamespace}" xmlns:m="${metadataNamespace}"`;
const ofGeography = ' xmlns:georss="http://www.georss.org/georss" xmlns:gml="http://www.opengis.net/gml"';

/** Returns the attributes of the root of a document: its base and the namespaces. Source: atom 3.1. */
export function namespacesOf({ declaresGeography, links }: AtomRepresentation): string {
  const base = ` xml:base="${escapeXmlAttribute(links.base)}/"`;
  return base + ofProperties + (declaresGeography ? ofGeography : '');
}
