/** The text that replaces a secret. */
export const redactedMark = '[redacted]';
