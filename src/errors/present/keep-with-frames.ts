import type { ReportedError } from '../report/error-report.js';

/** The stack of a reported error. */
export type ReportedStack = Pick<ReportedError, 'frames' | 'moreFrames'>;

interface Kept<Also, Made> {
  readonly moreFrames: number | undefined;
  readonly also: Also;
  readonly made: Made;
}

/**
 * Keeps what `make` makes of a stack for as long as the frames live: a stack that is met again is the same object, and
 * looks as it did. Made again where one of the other values is another one.
 */
export function keepWithFrames<Also extends readonly unknown[], Made>(
  make: (stack: ReportedStack, ...also: Also) => Made,
): (stack: ReportedStack, ...also: Also) => Made {
  const kept = new WeakMap<ReportedStack['frames'], Kept<Also, Made>>();
  return (stack, ...also) => {
    const { frames, moreFrames } = stack;
    const earlier = kept.get(frames);
    if (earlier?.moreFrames === moreFrames && earlier?.also.every((value, place) => value === also[place])) {
      return earlier.made;
    }
    const made = make(stack, ...also);
    kept.set(frames, { moreFrames, also, made });
    return made;
  };
}
