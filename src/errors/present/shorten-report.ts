import type { ErrorReport, ReportedChain, ReportedError, ReportedFrame } from '../report/error-report.js';

/** Maximum excerpts on a page: code takes the most room. */
const maxExcerpts = 4;
/** Minimum number of shared frames that a reference to the other error replaces. */
const minFoldedFrames = 3;

/**
 * Shortens a report for reading. In each error that wraps another, the frames that it shares with the wrapped error are
 * replaced by their number; each excerpt is kept once, at the first frames of the inner errors and at the outer error.
 */
export function shortenReport(report: ErrorReport): ErrorReport {
  const outer = report.errors.at(-1);
  return { ...report, ...shortenChain(report, { left: maxExcerpts - 1, shown: new Set(), outer }) };
}

/** Counts the frames of a chain that have an excerpt, including those of aggregated errors. */
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
  /** Positions (`file:line`) whose code is already shown: errors of a loop or a recursion share one. */
  readonly shown: Set<string>;
  /** The error that the client saw; keeps an excerpt regardless of the budget. */
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

/** Replaces the frames that an error shares with its cause: it was thrown where the cause was caught, so their callers agree. */
function foldShared({ frames }: ReportedError, before: ReportedError | undefined): Folded {
  if (before === undefined) return { frames };
  for (let at = 1; at < frames.length; at++)
    for (let start = 0; start < before.frames.length; start++) {
      const calls = sameCalls(frames.slice(at), before.frames.slice(start));
      // The shared frames have to reach the end of at least one of the stacks: the other one may just be truncated later.
      if (calls < minFoldedFrames || (start + calls < before.frames.length && at + calls < frames.length))
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
