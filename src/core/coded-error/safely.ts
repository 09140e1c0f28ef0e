/** Returns the result of `work`, or `otherwise` if it throws. */
export function safely<Result, Otherwise>(work: () => Result, otherwise: Otherwise): Result | Otherwise {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
