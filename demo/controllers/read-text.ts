/**
 * Normalises text that a user entered: line ends become the same for every browser, and control characters, which
 * databases reject, are removed.
 */
export function readText(value: string | null | undefined): string {
  return (value ?? '')
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .trim();
}
