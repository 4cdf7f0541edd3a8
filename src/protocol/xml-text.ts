/** Escapes a text for the content of an XML element. Not for attributes: quotes are not escaped. */
export function escapeXmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
