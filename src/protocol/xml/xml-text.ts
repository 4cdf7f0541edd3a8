/** Escapes a text for the content of an XML element. Not for attributes: quotes are not escaped. */
export function escapeXmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes a text for an XML attribute in double quotes. */
export function escapeXmlAttribute(text: string): string {
  return escapeXmlText(text).replaceAll('"', '&quot;');
}

/** Characters that XML does not allow, and the carriage return, which readers would change. */
const unreadable = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/**
 * Escapes any text for the content of an XML element. Characters that XML 1.0 does not allow become references, as the
 * writers of .NET do it, so that no value is lost.
 */
export function escapeAnyText(text: string): string {
  return escapeXmlText(text).replace(
    unreadable,
    (character) => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`,
  );
}
