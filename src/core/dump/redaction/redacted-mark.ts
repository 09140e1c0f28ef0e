/** Decodes percent-encoded text as far as possible: malformed escapes stay, and invalid UTF-8 becomes U+FFFD. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString(),
  );
}

/** The text that replaces a secret. */
export const redactedMark = '[redacted]';
