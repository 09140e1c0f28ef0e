import type { ErrorReport, ReportedChain, ReportedError } from '#errors';
import type { WordReader } from './word-reader.js';
import type { WordWriter } from './word-writer.js';

/** An error whose frames stand in the table of words, under this number. */
type PackedError = Omit<ReportedError, 'frames' | 'children'> & {
  readonly frames: ReportedError['frames'] | number;
  readonly children?: readonly PackedChain[];
};
interface PackedChain extends Omit<ReportedChain, 'errors'> {
  readonly errors: readonly PackedError[];
}

/** A report as it is recorded. */
export type PackedReport = Omit<ErrorReport, 'errors'> & PackedChain;

/** As JSON. The frames of a stack that is met again are the same object. */
const known = new WeakMap<ReportedError['frames'], string>();

/**
 * Puts the frames of each stack, with their excerpts by far the most of a report, among the words of the segment: what is
 * thrown is mostly thrown at the same place again.
 */
export function packFrames(report: ErrorReport, pack: WordWriter): PackedReport {
  return { ...report, ...packChain(report, pack) };
}

function packChain(chain: ReportedChain, pack: WordWriter): PackedChain {
  return { ...chain, errors: chain.errors.map((error) => packError(error, pack)) };
}

function packError(error: ReportedError, pack: WordWriter): PackedError {
  const { frames, children, ...rest } = error;
  let json = known.get(frames);
  if (json === undefined) known.set(frames, (json = JSON.stringify(frames)));
  const number = frames.length === 0 ? -1 : pack.words.numberOf(json);
  return {
    ...rest,
    frames: number === -1 ? frames : number,
    ...(children === undefined ? {} : { children: children.map((chain) => packChain(chain, pack)) }),
  };
}

/** The report as it was. */
export function unpackFrames(report: PackedReport, pack: WordReader): ErrorReport {
  return { ...report, ...unpackChain(report, pack) };
}

function unpackChain(chain: PackedChain, pack: WordReader): ReportedChain {
  return { ...chain, errors: chain.errors.map((error) => unpackError(error, pack)) };
}

function unpackError(error: PackedError, pack: WordReader): ReportedError {
  const { frames, children, ...rest } = error;
  return {
    ...rest,
    // Written from the frames of a report.
    frames:
      typeof frames === 'number' ? (JSON.parse(pack.wordAt(frames)) as ReportedError['frames']) : frames,
    ...(children === undefined ? {} : { children: children.map((chain) => unpackChain(chain, pack)) }),
  };
}
