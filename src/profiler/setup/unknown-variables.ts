import { editDistance, findNearest, safely } from '#core/coded-error';
import type { AnyOption } from '#core/options';
import { writeQuietly } from '#core/log';
import {
  debugPeers,
  editorName,
  localsSetting,
  retentionSchema,
  sampleSchema,
  storeSetting,
  toolbarSetting,
  variableOptions,
} from '#profiler/option-schemas';
import { isFirstWorker, type Variables } from './environment.js';

/** Returns the variables named by options and their parts. */
export function variablesOf(types: Iterable<AnyOption>): readonly string[] {
  return [...types].flatMap(({ variable, parts = [] }) => [
    ...(variable === undefined ? [] : [variable]),
    ...variablesOf(parts.map(([, type]) => type)),
  ]);
}

/** The profiler's variables. */
const own = variablesOf([
  debugPeers,
  editorName,
  localsSetting,
  retentionSchema,
  sampleSchema,
  storeSetting,
  toolbarSetting,
  ...Object.values(variableOptions),
]);

const prefix = /^(?:LOOKBACK|PROFILER)_/i;
/** Minimum name length: shorter names are one letter away from too many others (POST, HOSTS). */
const minLength = 6;

/** An unknown variable, with the names that were probably meant. */
export interface UnknownVariable {
  readonly name: string;
  readonly nearest: readonly string[];
}

/**
 * Returns variables that are set but not read although they seem to be meant for lookback: those with its prefixes, and
 * those one letter away from a known name. `further` lists variables that the caller reads itself.
 */
export function unknownVariables(
  variables: Variables,
  further: readonly string[] = [],
): readonly UnknownVariable[] {
  const known = [...new Set(['APP_ENV', ...own, ...further])];
  const ignoresCase = process.platform === 'win32';
  return Object.keys(variables).flatMap((name) => {
    const isKnown = known.includes(ignoresCase ? name.toUpperCase() : name);
    if (isKnown || (variables[name] ?? '').trim() === '') return [];
    if (prefix.test(name)) return [{ name, nearest: nearestTo(name.toUpperCase(), known) }];
    const nearest = known.filter((one) => one.length >= minLength && editDistance(name, one, 1) === 1);
    return nearest.length === 0 ? [] : [{ name, nearest }];
  });
}

/** Prefers the same words with the other prefix, or nearly; otherwise names that begin alike: PROFILER_MAX_… */
function nearestTo(name: string, known: readonly string[]): readonly string[] {
  const longer = known.filter((one) => one.startsWith(`${name}_`));
  if (longer.length > 0) return longer;
  const ours = known.filter((one) => prefix.test(one));
  const rests = ours.map((one) => one.replace(prefix, ''));
  const near = findNearest(name.replace(prefix, ''), rests);
  if (near.length > 0) return near.flatMap((rest) => ours.filter((one) => one.replace(prefix, '') === rest));
  const start = name.slice(0, name.lastIndexOf('_') + 1);
  return ours.filter((one) => one.startsWith(start) && start.replace(prefix, '') !== '');
}

const maxName = 60;

/** Describes an unknown variable in one line. */
export function describeUnknown({ name, nearest }: UnknownVariable): string {
  const cut = name.length > maxName ? `${name.slice(0, maxName)}…` : name;
  const shown = cut.replaceAll(/[^!-~…]/g, '?'); // it may contain terminal control characters
  const hint =
    nearest.length === 0
      ? 'Known variables are listed in docs/reference/configuration.md.'
      : `Did you mean ${nearest.join(' or ')}?`;
  return `the environment variable ${shown} is unknown and was ignored. ${hint}`;
}

const maxLines = 5;
const said = new Set<string>(); // module state: names already reported by this process

/** Reports each unknown variable on stderr, once per process, and only in the first worker of a cluster. */
export function warnOfUnknownVariables(variables: Variables, further?: readonly string[]): void {
  safely(() => {
    if (!isFirstWorker()) return;
    const news = unknownVariables(variables, further).filter(({ name }) => !said.has(name));
    const lines = news.slice(0, maxLines).map(describeUnknown);
    if (news.length > maxLines)
      lines.push(`${news.length - maxLines} more environment variables are unknown.`);
    for (const { name } of news) said.add(name);
    for (const line of lines) writeQuietly(() => process.stderr.write(`lookback: ${line}\n`));
  }, undefined);
}
