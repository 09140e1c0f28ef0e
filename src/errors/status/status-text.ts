import { STATUS_CODES } from 'node:http';

/** The reason phrase of a status code, by RFC 9110 where Node still has an older name; an unknown code gets that of its class. */
export function statusText(status: number): string {
  if (status === 413) return 'Content Too Large';
  if (status === 422) return 'Unprocessable Content';
  if (status < 400) return STATUS_CODES[status] ?? 'Unknown';
  return STATUS_CODES[status] ?? (status >= 500 ? 'Server Error' : 'Error');
}
