/** Returns the fields of a written head of HTTP/1.1, from its status line on: names and values, alternating. */
export function fieldsOfHead(head: string): string[] {
  const fields: string[] = [];
  for (let at = head.indexOf('\r\n') + 2; at > 1 && at < head.length;) {
    const end = head.indexOf('\r\n', at);
    const colon = head.indexOf(':', at);
    if (end === -1 || colon === -1) break;
    if (colon < end) fields.push(head.slice(at, colon), head.slice(colon + 2, end).trim());
    at = end + 2;
  }
  return fields;
}

/** Returns the first value of the field `Content-Type` of a written head; empty if there is none. */
export function typeOfHead(head: string): string {
  return /\r\ncontent-type:([^\r]*)/i.exec(head)?.[1]?.trim() ?? '';
}
