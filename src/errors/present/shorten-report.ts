import type { ErrorReport, ReportedChain, ReportedError, ReportedFrame } from '../report/error-report.js';

/** Excerpts of a page: code is what makes it long. */
const maxExcerpts = 4;
/** Calls that are worth a line that says where they stand already. */
const minFoldedFrames = 3;

/**
 * The report as people read it: of each error that wraps another, the calls that it shares with the one before are replaced by
 * their number, and code stands once, at the first calls of the inner errors and at the outer one.
 */
export function shortenReport(report: ErrorReport): ErrorReport {
  const outer = report.errors.at(-1);
  return { ...report, ...shortenChain(report, { left: maxExcerpts - 1, shown: new Set(), outer }) };
}

/** Calls of a report that have code. */
export function countExcerpts({ errors }: ReportedChain): number {
  return errors.reduce(
    (sum, { frames, children = [] }) =>
      sum +
      frames.filter((frame) => frame.excerpt !== undefined).length +
      children.reduce((inner, child) => inner + countExcerpts(child), 0),
    0,
  );
}

interface Budget {
  left: number;
  /** Places whose code stands somewhere: errors of a loop or of a recursion come from one. */
  readonly shown: Set<string>;
  /** The error that the client saw has its code in any case. */
  readonly outer: ReportedError | undefined;
}

function shortenChain<Chain extends ReportedChain>(chain: Chain, budget: Budget): Chain {
  const errors = chain.errors.map((error, at): ReportedError => {
    const { frames, shared } = foldShared(error, chain.errors[at - 1]);
    const kept = error === budget.outer ? frames.find(({ excerpt }) => excerpt !== undefined) : undefined;
    return {
      ...error,
      frames: frames.map((frame) => (frame === kept ? frame : withinBudget(frame, budget))),
      ...(shared === undefined ? {} : { shared }),
      ...(error.children === undefined
        ? {}
        : { children: error.children.map((child) => shortenChain(child, budget)) }),
    };
  });
  return { ...chain, errors };
}

function withinBudget(frame: ReportedFrame, budget: Budget): ReportedFrame {
  if (frame.excerpt === undefined) return frame;
  const place = `${frame.file}:${frame.line}`;
  if (budget.left > 0 && !budget.shown.has(place)) {
    budget.left--;
    budget.shown.add(place);
    return frame;
  }
  const { excerpt: _, ...rest } = frame;
  return rest;
}

type Folded = Pick<ReportedError, 'frames' | 'shared'>;

/** An error is thrown where the one before it was caught: from there on both have the same callers. */
function foldShared({ frames }: ReportedError, before: ReportedError | undefined): Folded {
  if (before === undefined) return { frames };
  for (let at = 1; at < frames.length; at++)
    for (let place = 0; place < before.frames.length; place++) {
      const calls = sameCalls(frames.slice(at), before.frames.slice(place));
      // Behind them there is only what the other stack was too short for.
      if (calls < minFoldedFrames || (place + calls < before.frames.length && at + calls < frames.length))
        continue;
      return {
        frames: [...frames.slice(0, at), ...frames.slice(at + calls)],
        shared: { label: before.label, calls, at },
      };
    }
  return { frames };
}

function sameCalls(calls: readonly ReportedFrame[], others: readonly ReportedFrame[]): number {
  const differs = calls.findIndex((call, at) => !isSameCall(call, others[at]));
  return differs === -1 ? calls.length : differs;
}

function isSameCall(one: ReportedFrame, other: ReportedFrame | undefined): boolean {
  return one.line === other?.line && one.column === other.column && one.file === other.file;
}
