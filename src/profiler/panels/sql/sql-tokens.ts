/** What a piece of a statement is. */
export type SqlKind = 'space' | 'comment' | 'text' | 'name' | 'placeholder' | 'word' | 'sign';

export interface SqlToken {
  readonly kind: SqlKind;
  readonly text: string;
}

/**
 * Each alternative begins with a character of its own and repeats one class, and what must be closed is bounded, so that no text takes
 * more than linear time.
 */
const pattern =
  /(?<space>\s+)|(?<comment>--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?)|(?<text>\$\$(?:[^$]|\$(?!\$))*(?:\$\$)?|'(?:[^'\\]|''|\\[^])*'?)|(?<name>"(?:[^"]|"")*"?|`[^`]*`?|\[[^\]\n]{0,128}\])|(?<placeholder>\?|\$\d+|(?<!:):[a-z_]\w*|@\w+)|(?<word>[\p{L}_][\p{L}\p{N}_$]*|\d[\w.]*)|(?<sign>[^])/giu;

/** A statement cut into pieces that are, joined again, the statement. Nothing is checked: it may be broken or no SQL at all. */
export function sqlTokens(sql: string): readonly SqlToken[] {
  return Array.from(sql.matchAll(pattern), ({ 0: text, groups = {} }) => {
    const kind = tokenKinds.find((name) => groups[name] !== undefined) ?? 'sign';
    return { kind, text };
  });
}

const tokenKinds: readonly SqlKind[] = ['space', 'comment', 'text', 'name', 'placeholder', 'word', 'sign'];
