import { createHash } from 'node:crypto';

/** A stylesheet or script that stands inside the page, known to the policy by its hash. */
export interface InlineAsset {
  readonly kind: 'style' | 'script';
  readonly text: string;
  /** The source expression for `style-src` or `script-src`: `'sha256-…'` with its quotes. */
  readonly source: string;
}

const createdAssets = new WeakSet<InlineAsset>();

/** Declares a stylesheet of our own. Only text this program was compiled with; throws where it would end its element. */
export function createStyleAsset(text: string): InlineAsset {
  return createAsset('style', squeeze(text));
}

/** Declares a script of our own. Only text this program was compiled with; throws where it would end its element. */
export function createScriptAsset(text: string): InlineAsset {
  return createAsset('script', text);
}

/** True for assets made here: an object of the same shape from elsewhere is never put into a page. */
export function isInlineAsset(asset: InlineAsset): boolean {
  return createdAssets.has(asset);
}

/** Leaves out the spaces that mean nothing to CSS; strings are kept as they are. */
function squeeze(css: string): string {
  return css
    .replace(
      /("[^"]*")|\s*([{};,])\s*|((?<=[a-z-]:) (?=[^ ]))|\s+/g,
      (_, quoted?: string, sign?: string, afterColon?: string) =>
        quoted ?? sign ?? (afterColon === undefined ? ' ' : ''),
    )
    .trim();
}

function createAsset(kind: InlineAsset['kind'], text: string): InlineAsset {
  if (/<\/(?:style|script)|<!--/i.test(text))
    throw new TypeError(`A ${kind} of a page may hold neither an end tag nor "<!--". Write it otherwise.`);
  const source = `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
  const asset = Object.freeze({ kind, text, source });
  createdAssets.add(asset);
  return asset;
}
