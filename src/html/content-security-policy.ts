import type { InlineAsset } from './assets.js';

/** What a page may do. Everything else is refused. */
export interface PolicyOptions {
  /** Inline assets of the page, allowed by their hashes. */
  assets?: readonly InlineAsset[];
  /** Where forms may be submitted to. Default: nowhere. */
  formAction?: 'none' | 'self';
  /** Whether scripts may connect to the page's own origin (fetch, event streams). Default: no. */
  connect?: 'none' | 'self';
  /** Whether scripts may be loaded from the page's own origin, in addition to inline ones. Default: no. */
  scripts?: 'none' | 'self';
  /** Allowed images: `data` for data URLs, `self` for those and images of the page's own origin. Default: none. */
  images?: 'none' | 'data' | 'self';
  /** Whether the page may embed pages of its own origin in frames. Default: no. */
  frames?: 'none' | 'self';
  /** Which pages may embed this page in a frame. Default: none. */
  framedBy?: 'none' | 'self';
  /** `nonce` value for assets that are not known in advance: at least 16 random bytes as base64, one per response. */
  nonce?: string;
}

/**
 * Renders a strict Content-Security-Policy: styles and scripts only by hash or nonce, no `base`, and no loading, framing or
 * form submission unless an option allows it. Throws a TypeError if the nonce is malformed.
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
