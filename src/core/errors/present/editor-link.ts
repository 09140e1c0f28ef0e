/** URL templates by editor name; `%f` is the path, `%l` the line, `%c` the column. */
const editors = new Map<string, string>([
  ['vscode', 'vscode://file%f:%l:%c'],
  ['vscode-insiders', 'vscode-insiders://file%f:%l:%c'],
  ['vscodium', 'vscodium://file%f:%l:%c'],
  ['cursor', 'cursor://file%f:%l:%c'],
  ['windsurf', 'windsurf://file%f:%l:%c'],
  ['zed', 'zed://file%f:%l:%c'],
  ['idea', 'idea://open?file=%f&line=%l&column=%c'],
  ['phpstorm', 'phpstorm://open?file=%f&line=%l&column=%c'],
  ['webstorm', 'webstorm://open?file=%f&line=%l&column=%c'],
  ['sublime', 'subl://open?url=file://%f&line=%l&column=%c'],
  ['textmate', 'txmt://open?url=file://%f&line=%l&column=%c'],
  ['emacs', 'emacs://open?url=file://%f&line=%l&column=%c'],
  ['macvim', 'mvim://open?url=file://%f&line=%l&column=%c'],
  ['nova', 'nova://open?path=%f&line=%l&column=%c'],
]);

/** URL schemes for the editors above, with their colons. */
export const editorSchemes: readonly string[] = [...editors.values()].map((address) =>
  address.slice(0, address.indexOf(':') + 1),
);

/** Refused schemes: they would run code in the page or load content instead of opening an editor. */
const runningSchemes = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'about:', 'view-source:']);

/** A URL that opens a source position in the reader's editor. */
export interface EditorLink {
  readonly href: string;
  /** The URL's scheme with its colon; the page has to allow it. */
  readonly scheme: string;
}

/** Creates the link to a source position; returns undefined if no usable editor is configured. */
export type EditorLinker = (path: string, line: number, column: number) => EditorLink | undefined;

/**
 * Parses `LOOKBACK_IDE`: an editor's name or a URL template with `%f` (path), `%l` (line) and `%c` (column),
 * followed by any number of path maps `&/path/in/container>/path/on/host`.
 */
export function createEditorLinker(setting: string | undefined): EditorLinker {
  const text = setting?.trim() ?? '';
  const [head = '', ...rest] = text.split('&/');
  const template = editors.get(head.toLowerCase()) ?? head;
  const maps = rest.map((part) => `/${part}`.split('>')).filter((part) => part.length === 2);
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(template)?.[0].toLowerCase();
  if (scheme === undefined || runningSchemes.has(scheme) || !template.includes('%f')) return () => undefined;
  return (path, line, column) => {
    const map = maps.find(([from = '']) => path.startsWith(from));
    const location = map === undefined ? path : (map[1] ?? '') + path.slice((map[0] ?? '').length);
    const href = template.replaceAll(/%[flc]/g, (sign) => {
      if (sign === '%f') return encodePath(location);
      return String(Math.max(1, sign === '%l' ? line : column));
    });
    return { href, scheme };
  };
}

function encodePath(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  const absolute = slashed.startsWith('/') ? slashed : `/${slashed}`;
  return absolute
    .split('/')
    .map((part) => encodeURIComponent(part.toWellFormed()).replaceAll('%3A', ':'))
    .join('/');
}
