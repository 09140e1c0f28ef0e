/** Names and values in turn. */
type FlatHeaders = readonly string[];

const most = 4;
/** Those seen last come first. */
const known: FlatHeaders[] = [];
let asked: FlatHeaders | undefined;
let answer: FlatHeaders = [];

/**
 * The list that had the same fields and was given before, where there is one: clients send the same again and again.
 * Whoever compares lists by identity, or keeps what follows from one, asks here first, while the fields are fresh in
 * the processor's caches.
 */
export function knownHeaders(raw: FlatHeaders): FlatHeaders {
  if (raw === asked) return answer;
  asked = raw;
  answer = find(raw);
  return answer;
}

function find(raw: FlatHeaders): FlatHeaders {
  for (let at = 0; at < known.length; at++) {
    const list = known[at];
    if (list === undefined || !areSame(list, raw)) continue;
    const first = known[0];
    if (at > 0 && first !== undefined) [known[0], known[at]] = [list, first];
    return list;
  }
  if (known.length === most) known.pop();
  known.unshift(raw);
  return raw;
}

function areSame(left: FlatHeaders, right: FlatHeaders): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}
