/** Class and message in one line; what was thrown without a message says so. */
export function headline(report: { readonly class: string; readonly message: string }): string {
  return report.message === '' ? `${report.class} without a message` : `${report.class}: ${report.message}`;
}
