/** Fields in a row that were the same in the head before, and what they are on the wire. */
interface Run {
  readonly from: number;
  readonly end: number;
  text: string;
  isFlat: boolean;
}

/** The fields of the last head. */
let last: readonly string[] = [];
/** Each holds for the fields of the last head. */
let runs: Run[] = [];
let lastStatus = 0;
let lastReason = '';
let statusLine = '';

/**
 * What goes over the wire before the body (RFC 9112, section 2.1), of fields that were checked when they were set, names
 * and values in turn. Most fields are the same in answer after answer: their text is put together once.
 */
export function headText(status: number, reason: string, fields: readonly string[]): string {
  let text = statusLineOf(status, reason);
  const before = last;
  last = fields;
  let at = 0;
  while (at < fields.length) {
    let end = at;
    while (end < fields.length && fields[end] === before[end] && fields[end + 1] === before[end + 1])
      end += 2;
    if (end === at) {
      forget(at);
      end = at + 2;
      text += lineOf(fields, at);
    } else text += runText(fields, at, end);
    at = end;
  }
  return text + '\r\n';
}

function statusLineOf(status: number, reason: string): string {
  if (status !== lastStatus || reason !== lastReason) {
    lastStatus = status;
    lastReason = reason;
    statusLine = flat(`HTTP/1.1 ${status} ${reason}\r\n`);
  }
  return statusLine;
}

function lineOf(fields: readonly string[], at: number): string {
  return `${fields[at]}: ${fields[at + 1]}\r\n`;
}

function runText(fields: readonly string[], from: number, end: number): string {
  for (const run of runs) {
    if (run.from !== from || run.end !== end) continue;
    // Worth it only where heads do not take turns.
    if (!run.isFlat) run.text = flat(run.text);
    run.isFlat = true;
    return run.text;
  }
  let text = '';
  for (let at = from; at < end; at += 2) text += lineOf(fields, at);
  runs = [...runs.filter((run) => run.from !== from), { from, end, text, isFlat: false }];
  return text;
}

/** A field has changed: what was put together with it does not hold any more. */
function forget(at: number): void {
  for (const run of runs) {
    if (run.from > at || run.end <= at) continue;
    runs = runs.filter((other) => other.from > at || other.end <= at);
    return;
  }
}

/** The same text in one piece: what was joined by `+` is a tree of its parts. */
function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
