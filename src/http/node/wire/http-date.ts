let text = '';

/**
 * Now, as a Date header says it (RFC 9110 section 5.6.7). Made once a second: asking what time it is takes longer than
 * all else here, so a timer tells when the second is over.
 */
export function httpDate(): string {
  if (text === '') {
    const now = new Date();
    text = now.toUTCString();
    setTimeout(forget, 1000 - now.getUTCMilliseconds()).unref();
  }
  return text;
}

function forget(): void {
  text = '';
}
