import type { InlineAsset } from './assets.js';

/** What a page may do. Everything not named here is refused. */
export interface PolicyOptions {
  /** The inline assets of the page, allowed by their hashes. */
  assets?: readonly InlineAsset[];
  /** Where forms may be sent; nowhere by default. */
  formAction?: 'none' | 'self';
  /** Whether the page's script may speak to its own origin (fetch, event streams); no by default. */
  connect?: 'none' | 'self';
  /** Whether scripts may be loaded from the page's own origin, in addition to inline ones; default no. */
  scripts?: 'none' | 'self';
  /** Images: none by default; `data` those inside the page, `self` also the origin's. */
  images?: 'none' | 'data' | 'self';
  /** Whether the page may show pages of its origin in frames; no by default. */
  frames?: 'none' | 'self';
  /** Who may show the page in a frame; default none. */
  framedBy?: 'none' | 'self';
  /** Value of a `nonce` for assets that are not known beforehand: at least 16 random bytes as base64, one per response. */
  nonce?: string;
}

/**
 * The strict Content-Security-Policy of a page: nothing is loaded, styles and scripts only by hash (or nonce), no
 * base, no framing, forms only to where allowed.
 */
export function contentSecurityPolicy(options: PolicyOptions = {}): string {
  const { assets = [], nonce } = options;
  if (nonce !== undefined && !/^[A-Za-z0-9+/_-]{16,}={0,2}$/.test(nonce))
    throw new TypeError('A policy takes a nonce of base64 characters.');
  const sources = (kind: InlineAsset['kind']): string => {
    const list = assets.filter((asset) => asset.kind === kind).map((asset) => asset.source);
    if (kind === 'script' && options.scripts === 'self') list.push("'self'");
    if (nonce !== undefined) list.push(`'nonce-${nonce}'`);
    return list.length === 0 ? "'none'" : list.join(' ');
  };
  return [
    "default-src 'none'",
    `style-src ${sources('style')}`,
    `script-src ${sources('script')}`,
    ...(options.images === 'self' ? ["img-src 'self' data:"] : []),
    ...(options.images === 'data' ? ['img-src data:'] : []),
    ...(options.connect === 'self' ? ["connect-src 'self'"] : []),
    ...(options.frames === 'self' ? ["frame-src 'self'"] : []),
    "base-uri 'none'",
    `form-action '${options.formAction ?? 'none'}'`,
    `frame-ancestors '${options.framedBy ?? 'none'}'`,
  ].join('; ');
}
