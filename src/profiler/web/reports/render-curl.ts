import { isUtf8 } from 'node:buffer';
import { visibleText } from '#core/html';
import { type RepeatableRequest, describeMissing } from './replay.js';

/** Renders a curl command with the recorded headers and bytes; its first line lists what is missing. */
export function renderCurl(request: RepeatableRequest): string {
  const { method, url, headers, body } = request;
  const named = new Set(headers.map(([name]) => name.toLowerCase()));
  // Suppresses headers that curl adds on its own, unless they were sent.
  const added = ['User-Agent', 'Accept', ...(body === undefined ? [] : ['Content-Type', 'Expect'])];
  const base64 = body?.encoding === 'base64';
  const options = [
    '--globoff --path-as-is',
    method === 'GET' ? '' : method === 'HEAD' ? '--head' : `--request ${quote(method)}`,
    quote(url),
    ...headers.map((field) => `--header ${quoteField(field)}`),
    ...added.filter((name) => !named.has(name.toLowerCase())).map((name) => `--header ${quote(`${name}:`)}`),
    ...(body === undefined ? [] : [base64 ? '--data-binary @-' : `--data-raw ${quote(body.content)}`]),
  ].filter((option) => option !== '');
  const command = `curl ${options.join(' \\\n  ')}`;
  const missing = describeMissing(request);
  const lines = missing === undefined ? '' : `# ${missing}\n`;
  return `${lines}${base64 ? `printf %s ${quote(body.content)} | base64 -d | ` : ''}${command}\n`;
}

/** Header values are bytes, one per character. A value that is valid UTF-8 is shown as text. */
function quoteField([name, value]: RepeatableRequest['headers'][number]): string {
  if (value === '') return quote(`${name};`);
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? quote(`${name}: ${bytes.toString()}`) : quote(`${name}: ${value}`, 'latin1');
}

/** Quotes one word for a shell: in single quotes, or as `$'…'` (bash, zsh) for control characters and bytes. */
function quote(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  if (/^[\w./:=@%+,-]+$/.test(text)) return text;
  if (encoding === 'utf8' && visibleText(text) === text) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const escaped = text.replace(/[\\']/g, String.raw`\$&`).replace(/[^\x20-\x7e]+/g, (run) =>
    Buffer.from(run, encoding)
      .toString('hex')
      .replace(/../g, String.raw`\x$&`),
  );
  return `$'${escaped}'`;
}
