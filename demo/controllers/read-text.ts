/**
 * A text as a user typed it: lines end alike whatever the browser sends, and control characters, which no database
 * likes, are left out.
 */
export function readText(value: string | null | undefined): string {
  return (value ?? '')
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .trim();
}
