/**
 * Calls `work` with `subject`. If `work` throws or its promise rejects, calls `recover` with the error. The values are
 * passed as separate parameters, as on the whole request path, so that a synchronous request allocates neither a closure
 * nor a promise.
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

/** Calls `proceed` with both values: immediately if `pending` is undefined, otherwise when it resolves. */
// oxlint-disable-next-line house/max-positional -- on the path of every request: allocates no object
export function whenDone<Left, Right>(
  pending: void | Promise<void>,
  proceed: (left: Left, right: Right) => void | Promise<void>,
  left: Left,
  right: Right,
): void | Promise<void> {
  return pending === undefined ? proceed(left, right) : pending.then(() => proceed(left, right));
}
