let second = 0;
let text = '';

/** Now, as a Date header says it (RFC 9110 section 5.6.7). Made once a second. */
export function httpDate(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    text = new Date(now * 1000).toUTCString();
  }
  return text;
}
