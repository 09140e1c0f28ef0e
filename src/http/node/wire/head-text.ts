/**
 * What goes over the wire before the body (RFC 9112, section 2.1), of fields that were checked when they were set, names
 * and values in turn.
 */
export function headText(status: number, reason: string, fields: readonly string[]): string {
  let text = `HTTP/1.1 ${status} ${reason}\r\n`;
  for (let at = 0; at < fields.length; at += 2) text += `${fields[at]}: ${fields[at + 1]}\r\n`;
  return text + '\r\n';
}
