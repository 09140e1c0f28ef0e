import { httpErrors } from '../failures/error-codes.js';

/**
 * Parses a JSON text (RFC 8259). Rejects keys named `__proto__`, because merging such a value into an object would
 * change that object's prototype. Throws `HTTP_JSON_TOO_DEEP`, `HTTP_JSON_MALFORMED` and `HTTP_JSON_FORBIDDEN_KEY`.
 */
export function parseJsonBody(text: string, maxDepth: number): unknown {
  if (isDeeperThan(text, maxDepth)) throw httpErrors.create('HTTP_JSON_TOO_DEEP', { limit: maxDepth });
  const value = parse(text);
  if (text.includes('__proto__') || text.includes('\\u')) assertKeys(value);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown; // `JSON.parse` is typed as any
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/\.$/, '') : 'it cannot be read';
    throw httpErrors.create('HTTP_JSON_MALFORMED', { reason }, { cause });
  }
}

const quoteCode = 0x22;
const backslashCode = 0x5c;

/** Checks the nesting in one linear pass, before the value is built. */
function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quoted && code === backslashCode) at += 1;
    else if (code === quoteCode) quoted = !quoted;
    else if (!quoted) depth += depthChange(code);
    if (depth > limit) return true;
  }
  return false;
}

/** Returns 1 for `{` and `[`, −1 for `}` and `]`, else 0. */
function depthChange(code: number): number {
  if (code === 0x7b || code === 0x5b) return 1;
  return code === 0x7d || code === 0x5d ? -1 : 0;
}

function assertKeys(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) {
    throw httpErrors.create('HTTP_JSON_FORBIDDEN_KEY', { key: '__proto__' });
  }
  for (const child of Object.values(value)) assertKeys(child);
}
