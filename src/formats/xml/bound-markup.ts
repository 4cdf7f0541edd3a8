import { markupUnitsMax, xmlElementsMax } from '../../protocol/limits.js';

/**
 * Returns whether a document can be parsed fast: it has no document type, all its markup ends, and there is not too much of
 * it. The content of CDATA is not markup, and costs nothing.
 *
 * Goes through the document once, and finds markup where the parser finds it: otherwise a text could hide markup.
 */
export function hasBoundedMarkup(document: string): boolean {
  let pieces = 0;
  let units = 0;
  for (let at = document.indexOf('<'); at >= 0; ) {
    const end = endOfMarkup(document, at);
    if (end < 0) return false;
    pieces += 1;
    if (!document.startsWith(cdata, at)) units += end - at;
    if (pieces > xmlElementsMax || units > markupUnitsMax) return false;
    at = document.indexOf('<', end);
  }
  return true;
}

const comment = '<!--';
const cdata = '<![CDATA[';

/** Returns where the markup that starts at an index ends, after its last character. Below 0: it has no end, or is refused. */
function endOfMarkup(document: string, at: number): number {
  if (document.startsWith(comment, at)) return endOf(document, '-->', at + comment.length);
  if (document.startsWith(cdata, at)) return endOf(document, ']]>', at + cdata.length);
  if (document.startsWith('<!', at)) return -1;
  if (!document.startsWith('<?', at)) return endOutsideQuotes(document, '>', at + 1);
  // The validator finds the end of an instruction also in quotes, the parser does not. They must see the same document.
  const end = endOf(document, '?>', at + 2);
  return end === endOutsideQuotes(document, '?>', at + 2) ? end : -1;
}

function endOf(document: string, last: string, from: number): number {
  const found = document.indexOf(last, from);
  return found < 0 ? -1 : found + last.length;
}

function endOutsideQuotes(document: string, last: '>' | '?>', from: number): number {
  const quoteOrBracket = /["'>]/g;
  quoteOrBracket.lastIndex = from;
  for (let found = quoteOrBracket.exec(document); found !== null; found = quoteOrBracket.exec(document)) {
    const [character] = found;
    const after = found.index + 1;
    // It is too much already, wherever it ends.
    if (after - from > markupUnitsMax) return -1;
    if (character !== '>') {
      const closing = endOf(document, character, after);
      if (closing < 0) return -1;
      quoteOrBracket.lastIndex = closing;
    } else if (document.endsWith(last, after)) return after;
  }
  return -1;
}
