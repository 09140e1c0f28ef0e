/**
 * Wraps a timer callback so that an exception cannot end the process. Nothing would catch an exception of a timer
 * (`EMFILE`, say, if the process is out of file descriptors); it is passed to `failed` instead, and an interval continues.
 */
export function guardTimer(work: () => void, failed: (error: unknown) => void): () => void {
  return () => {
    try {
      work();
    } catch (error) {
      failed(error);
    }
  };
}
