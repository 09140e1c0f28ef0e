/**
 * Decodes percent-encoded text as far as possible: malformed escapes stay unchanged, and invalid UTF-8 becomes U+FFFD.
 */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString(),
  );
}

/** The text that replaces a secret. */
export const redactedMark = '[redacted]';

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

/** Segments of a path after which a secret follows, in addition to secret names: `/reset/x`, as links in mails have it. */
const before =
  /^(?:reset|verify|verification|confirm|confirmation|activate|activation|invite|invitation|magic(?:-?link)?|unsubscribe|recover|recovery)$/i;
const pair = /\/([A-Za-z][\w.-]{0,60})(?=\/([\w~=-]{8,300})(?![\w~=.:-]))/g;

/** Addresses that are secrets themselves: bots of Telegram, and incoming webhooks of Slack and Discord. */
const addresses =
  /(\/bot\d{1,20}:|\/services\/T\w{1,30}\/B\w{1,30}\/|\/webhooks\/\d{1,30}\/)[^\s/?#"'`<>]{1,300}/g;

/** Hides segments of paths that follow a secret name (`/token/x`, `/reset-password/x`) and look as if a generator made them. */
export function redactPath(text: string, isSecretName: (name: string) => boolean): string {
  const out = text.replace(addresses, `$1${redactedMark}`);
  let clean = '';
  let done = 0;
  pair.lastIndex = 0;
  for (let found = pair.exec(out); found !== null; found = pair.exec(out)) {
    const [whole, name = '', value = ''] = found;
    if (!isMade(value) || !(before.test(name) || isSecretName(name))) continue;
    const from = found.index + whole.length + 1;
    clean += out.slice(done, from) + redactedMark;
    done = from + value.length;
  }
  return clean + out.slice(done);
}

/** Whether a generator made this: letters and digits mixed. Numbers, words and dates are names of things. */
function isMade(value: string): boolean {
  const digits = value.replaceAll(/\D/g, '').length;
  const letters = value.replaceAll(/[^A-Za-z]/g, '').length;
  return letters >= 2 && (digits >= 2 || (value.length >= 16 && /[a-z]/.test(value) && /[A-Z]/.test(value)));
}
