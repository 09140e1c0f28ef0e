import { STATUS_CODES } from 'node:http';

/** Returns the reason phrase of a status code (RFC 9110, even if Node has an older name), or a generic one if it is unknown. */
export function statusText(status: number): string {
  if (status === 413) return 'Content Too Large';
  if (status === 422) return 'Unprocessable Content';
  if (status < 400) return STATUS_CODES[status] ?? 'Unknown';
  return STATUS_CODES[status] ?? (status >= 500 ? 'Server Error' : 'Error');
}
