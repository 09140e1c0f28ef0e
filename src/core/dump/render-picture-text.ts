import type { Picture, PictureEntry } from './picture.js';

/** Renders a picture as indented text, for terminals, plain text and Markdown. Strings are in JSON quotes. */
export function renderPictureText(picture: Picture, indent = ''): string {
  if (picture.entries === undefined || picture.entries.length === 0) return renderLeafText(picture);
  const inner = `${indent}  `;
  const lines = picture.entries.map(
    (entry) => `${inner}${entryHead(entry)}${renderPictureText(entry.value, inner)}`,
  );
  if (picture.more !== undefined && picture.more > 0) lines.push(`${inner}… ${picture.more} more`);
  const [open, close] = picture.type === 'array' ? ['[', ']'] : ['{', '}'];
  return `${branchHead(picture)}${open}\n${lines.join('\n')}\n${indent}${close}`;
}

/** Renders a picture with its entries on one line of at most `maxLength` characters; what has no room is cut and marked. */
export function renderPictureLine(picture: Picture, maxLength = 120): string {
  const { entries = [], more = 0, type } = picture;
  if (entries.length === 0) return cutLine(renderLeafText(picture), maxLength);
  const parts = entries.map((entry) => `${entryHead(entry)}${renderPictureLine(entry.value, maxLength)}`);
  if (more > 0) parts.push(`… ${more} more`);
  const [open, close] = type === 'array' ? ['[', ']'] : ['{', '}'];
  return cutLine(`${branchHead(picture)}${open} ${parts.join(', ')} ${close}`, maxLength);
}

function cutLine(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}

/** Renders a picture on one line: the text of a leaf, or a branch without its entries. */
export function renderLeafText(picture: Picture): string {
  switch (picture.type) {
    case 'string':
      return JSON.stringify(picture.text ?? '') + cutNote(picture);
    case 'redacted':
      return '[redacted]';
    case 'getter':
      return '[getter, not run]';
    case 'reference':
      return `[seen above, *${picture.text ?? ''}]`;
    case 'unreadable':
      return '[unreadable]';
    case 'proxy':
    case 'promise':
      return `[${picture.text ?? ''}]`;
    case 'function':
      return `[function ${picture.text ?? ''}]`;
    default:
      if (picture.entries !== undefined || picture.cut !== undefined) return branchOnOneLine(picture);
      return picture.text ?? picture.type;
  }
}

/** Renders the text before the braces of a branch: number, class (unless it is a plain object or array) and size. */
export function branchHead(picture: Picture): string {
  const plain = picture.text === 'Object' || picture.text === 'Array' || picture.text === undefined;
  const id = picture.id === undefined ? '' : `*${picture.id} `;
  const size = picture.length === undefined ? '' : `(${picture.length})`;
  return id + (plain && size === '' ? '' : `${picture.text ?? ''}${size} `);
}

export function entryHead(entry: PictureEntry): string {
  if (entry.kind === 'index') return '';
  if (entry.kind !== 'key') return `${entry.key}: `;
  const key = entry.keyPicture === undefined ? JSON.stringify(entry.key) : renderLeafText(entry.keyPicture);
  return `${key} => `;
}

/** Renders how many characters of a truncated string are omitted; empty if it is complete. */
export function cutNote(picture: Picture): string {
  const left = (picture.length ?? 0) - (picture.text ?? '').length;
  return left > 0 ? ` … ${left} more characters` : '';
}

function branchOnOneLine(picture: Picture): string {
  const { entries = [], cut, more = 0 } = picture;
  const [open, close] = picture.type === 'array' ? ['[', ']'] : ['{', '}'];
  const why = { depth: 'too deep', size: 'too much', time: 'took too long' }[cut ?? 'size'];
  const inside = entries.length > 0 ? '…' : more > 0 ? ` … ${more} left out: ${why} ` : '';
  return branchHead(picture) + open + inside + close;
}
