const outOfOrder = /[\ud800-\uffff]/;

/**
 * Encodes a key so that its UTF-8 bytes sort as its UTF-16 code units do, which is the service's ordinal order. For
 * engines that compare UTF-8 bytes.
 *
 * The two orders differ only between surrogates and U+E000 and above, so most keys are returned unchanged. Code units
 * from U+D800 on are raised by 0x800. The highest ones would not fit, so they become U+FFFF and a second character. The
 * result has no surrogates, so lone surrogates survive UTF-8.
 *
 * Source: data-model 2.
 */
export function encodeOrdered(key: string): string {
  if (!outOfOrder.test(key)) return key;
  let encoded = '';
  for (let at = 0; at < key.length; at++) {
    const unit = key.charCodeAt(at);
    if (unit < 0xd800) encoded += key[at];
    else if (unit < 0xf7ff) encoded += String.fromCharCode(unit + 0x800);
    else encoded += `\uffff${String.fromCharCode(0x1000 + unit - 0xf7ff)}`;
  }
  return encoded;
}
