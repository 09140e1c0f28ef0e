import { decodePercent } from './decode-percent.js';
import { redactedMark } from './redacted-mark.js';

/**
 * Hides the given (decoded) values, those of path parameters declared secret, in the path of a URL. Segments are decoded
 * before they are compared; a segment that encodes a value in an unusual way is hidden completely.
 */
export function hidePathValues(url: string, values: readonly string[]): string {
  const pieces = values.flatMap((value) => value.split('/')).filter((piece) => piece !== '');
  if (pieces.length === 0) return url;
  const start = url.includes('://') ? url.indexOf('://') + 3 : 0;
  const mark = url.slice(start).search(/[?#]/);
  const end = mark === -1 ? url.length : start + mark;
  const segments = url.slice(start, end).split('/');
  const hidden = segments.map((segment, index) =>
    index === 0 && start > 0 ? segment : hide(segment, pieces),
  );
  return url.slice(0, start) + hidden.join('/') + url.slice(end);
}

function hide(segment: string, pieces: readonly string[]): string {
  const text = decodePercent(segment);
  let out = segment;
  for (const piece of pieces) {
    if (!text.includes(piece)) continue;
    const sent = [piece, encodeURIComponent(piece), encodeURI(piece)].find((form) => out.includes(form));
    out = sent === undefined ? redactedMark : out.replaceAll(sent, redactedMark);
  }
  return out;
}
