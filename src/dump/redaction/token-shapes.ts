import { redactedMark } from './redact-path.js';

/**
 * Tokens that are recognised by their format, regardless of a name: JSON web tokens, keys of Stripe, GitHub, GitLab, AWS,
 * Slack, Google, npm, SendGrid, Hugging Face, Shopify, DigitalOcean and OpenAI. A new one is one line here.
 */
const shapes: readonly (readonly [beginning: string, rest: string])[] = [
  ['eyJ', String.raw`[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,4}`],
  ['[sr]k_(?:live|test)_', '[A-Za-z0-9]{8,}'],
  ['whsec_', '[A-Za-z0-9+/=]{8,}'],
  ['gh[pousr]_', '[A-Za-z0-9]{16,}'],
  ['github_pat_', '[A-Za-z0-9_]{16,}'],
  ['glpat-', '[A-Za-z0-9_-]{12,}'],
  ['A[KS]IA', '[A-Z0-9]{12,}'],
  ['xox[abeoprs]-', '[A-Za-z0-9-]{8,}'],
  ['AIza', '[A-Za-z0-9_-]{30,}'],
  ['npm_', '[A-Za-z0-9]{30,}'],
  ['SG[.]', '[A-Za-z0-9_-]{16,}[.][A-Za-z0-9_-]{16,}'],
  ['hf_', '[A-Za-z0-9]{30,}'],
  ['shp(?:at|ca|pa|ss)_', '[A-Za-z0-9]{16,}'],
  ['ya29[.]', '[A-Za-z0-9_-]{20,}'],
  ['GOCSPX-', '[A-Za-z0-9_-]{20,}'],
  ['dop_v1_', '[a-f0-9]{32,}'],
  ['sk-', '(?:[a-z0-9]{1,10}-){0,2}[A-Za-z0-9_]{16,}[A-Za-z0-9_-]*'],
];

const tokens = new RegExp(
  String.raw`\b(?:${shapes.map(([beginning, rest]) => beginning + rest).join('|')})`,
  'g',
);

/** Replaces such tokens in a text. */
export function redactTokens(text: string): string {
  return text.replace(tokens, redactedMark);
}
