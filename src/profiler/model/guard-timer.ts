/**
 * Work for a timer, which cannot end the process: nothing catches what a timer throws (`EMFILE`, say, when the process
 * has no descriptor left), so that is passed to `failed`, and the timer goes on.
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
