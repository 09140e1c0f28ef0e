/** What stands between the last separators of a name: `app.3f2a9c1b.js`, `index-DiwrgTda.css`. */
const hashedNamePattern = /[.-]([A-Za-z0-9_]{8,64})\.[A-Za-z0-9]{1,8}$/;

/**
 * Whether a file's name has a hash of its content, as bundlers write it: eight characters or more, letters and digits
 * or letters of both cases mixed. Words, dates and version numbers are none.
 */
export function isHashedName(path: string): boolean {
  const hash = hashedNamePattern.exec(path.slice(-200))?.[1];
  if (hash === undefined || !/[A-Za-z]/.test(hash)) return false;
  return /\d/.test(hash) || (/[a-z]/.test(hash) && /[A-Z]/.test(hash.slice(1)));
}
