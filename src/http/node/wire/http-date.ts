let currentDate = ''; // the same for every response of a second

/**
 * Now, as a Date header says it (RFC 9110 section 5.6.7). Made once a second: asking what time it is takes longer than
 * all else here, so a timer marks the end of the second.
 */
export function httpDate(): string {
  if (currentDate === '') {
    const now = new Date();
    currentDate = now.toUTCString();
    setTimeout(forget, 1000 - now.getUTCMilliseconds()).unref();
  }
  return currentDate;
}

function forget(): void {
  currentDate = '';
}
