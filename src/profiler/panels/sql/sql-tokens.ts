/** Kind of a token. */
export type SqlKind = 'space' | 'comment' | 'text' | 'name' | 'placeholder' | 'word' | 'sign';

export interface SqlToken {
  readonly kind: SqlKind;
  readonly text: string;
}

/**
 * The alternatives start with different characters, each repeats one class of characters, and constructs that must be closed
 * are bounded, so that matching takes linear time.
 */
const pattern =
  /(?<space>\s+)|(?<comment>--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?)|(?<text>\$\$(?:[^$]|\$(?!\$))*(?:\$\$)?|'(?:[^'\\]|''|\\[^])*'?)|(?<name>"(?:[^"]|"")*"?|`[^`]*`?|\[[^\]\n]{0,128}\])|(?<placeholder>\?|\$\d+|(?<!:):[a-z_]\w*|@\w+)|(?<word>[\p{L}_][\p{L}\p{N}_$]*|\d[\w.]*)|(?<sign>[^])/giu;

/** Splits a statement into tokens whose concatenation is the statement. Any text is accepted, even if it is not valid SQL. */
export function sqlTokens(sql: string): readonly SqlToken[] {
  return Array.from(sql.matchAll(pattern), ({ 0: text, groups = {} }) => {
    const kind = tokenKinds.find((name) => groups[name] !== undefined) ?? 'sign';
    return { kind, text };
  });
}

const tokenKinds: readonly SqlKind[] = ['space', 'comment', 'text', 'name', 'placeholder', 'word', 'sign'];
