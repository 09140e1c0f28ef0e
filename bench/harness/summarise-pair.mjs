/** Median, minimum and maximum. */
export function spreadOf(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return { median: middleOf(sorted), least: sorted[0], greatest: sorted.at(-1) };
}

function middleOf(sorted) {
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/**
 * Summarises a pair's rounds. `ratio` is the baseline's CPU time per request divided by the target's, across all threads, and `mainRatio`
 * the same for the main thread; without CPU times, both are from requests per second.
 */
export function summarisePair({ target, rounds }) {
  const timed = rounds.every(({ target: one, baseline }) => one.allMicros > 0 && baseline.allMicros > 0);
  const rate = ({ requests, seconds }) => requests / seconds;
  const ratios = (unit) =>
    spreadOf(
      rounds.map((round) =>
        timed ? round.baseline[unit] / round.target[unit] : rate(round.target) / rate(round.baseline),
      ),
    );
  const of = (read) => spreadOf(rounds.map((round) => read(round.target))).median;
  return {
    ...target,
    ratio: ratios('allMicros'),
    mainRatio: ratios('mainMicros'),
    micros: timed ? of(({ allMicros }) => allMicros) : undefined,
    mainMicros: timed ? of(({ mainMicros }) => mainMicros) : undefined,
    requestsPerSecond: Math.round(of(rate)),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
  };
}

/** Divides every ratio by that of the control, a second copy of the baseline. */
export function normalise(summary, control) {
  const scale = ({ median, least, greatest }, by) => ({
    median: median / by,
    least: least / by,
    greatest: greatest / by,
  });
  return {
    ...summary,
    ratio: scale(summary.ratio, control.ratio.median),
    mainRatio: scale(summary.mainRatio, control.mainRatio.median),
  };
}
