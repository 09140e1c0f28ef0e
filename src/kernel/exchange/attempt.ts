/**
 * Passes an exchange to `work`; what that throws, at once or later, goes to `recover`. Like all of the request path it
 * is given its values one by one, so that a synchronous request needs no closure, and no promise.
 */
export function attempt<Subject>(
  work: (subject: Subject) => void | Promise<void>,
  subject: Subject,
  recover: (subject: Subject, error: unknown) => void | Promise<void>,
): void | Promise<void> {
  try {
    const pending = work(subject);
    return pending === undefined ? undefined : pending.catch((error: unknown) => recover(subject, error));
  } catch (error) {
    return recover(subject, error);
  }
}

/** Calls `proceed` with the two values: now, or when `pending` is done. */
// oxlint-disable-next-line house/max-positional -- on the path of every request: no object is made for it
export function whenDone<Left, Right>(
  pending: void | Promise<void>,
  proceed: (left: Left, right: Right) => void | Promise<void>,
  left: Left,
  right: Right,
): void | Promise<void> {
  return pending === undefined ? proceed(left, right) : pending.then(() => proceed(left, right));
}
