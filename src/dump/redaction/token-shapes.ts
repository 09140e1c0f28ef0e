import { redactedMark } from './redacted-mark.js';

/**
 * Tokens that are recognised by their format, regardless of a name: JSON web tokens, keys of Stripe, GitHub, GitLab, AWS,
 * Slack, Google, npm, SendGrid and OpenAI.
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
  ['sk-', '(?:[a-z0-9]{1,10}-){0,2}[A-Za-z0-9_]{16,}[A-Za-z0-9_-]*'],
];

/** Source of a regular expression for the prefixes of such tokens; a text that it does not match contains none. */
export const tokenBeginnings: string = shapes.map(([beginning]) => beginning).join('|');

const tokens = new RegExp(
  String.raw`\b(?:${shapes.map(([beginning, rest]) => beginning + rest).join('|')})`,
  'g',
);

/** Replaces such tokens in a text. */
export function redactTokens(text: string): string {
  return text.replace(tokens, redactedMark);
}
