import type { EditorLinker } from '#core/errors';
import { say } from '#core/phrases';
import type { Block, Metric, PanelBadge, Pair, RichValue, Tone } from './block.js';
import { compact, section, type SectionDefinitions } from './make-blocks.js';
import { type CodeLocation, locationValue } from './make-values.js';

/** Creates a badge that shows `count`; its words count `n` (by default `count`). Undefined if `n` is 0. */
export function badgeOf(
  count: number,
  words: string,
  { tone = 'neutral', n = count }: { readonly tone?: PanelBadge['tone']; readonly n?: number } = {},
): PanelBadge | undefined {
  return n === 0 ? undefined : { count, tone, words: say(words, { n }) };
}

export function metricsOf(
  ...metrics: readonly (readonly [label: string, value: Metric['value'], tone?: Tone] | false)[]
): Block {
  const shown = compact(...metrics).map(([label, value, tone]): Metric => ({
    label,
    value,
    ...(tone === undefined ? {} : { tone }),
  }));
  return { kind: 'metrics', metrics: shown };
}

/** Creates a block with names and values; omits pairs without a value or with an empty text. */
export function pairsOf(label: string, pairs: readonly Pair[], empty?: string): Block {
  const shown = pairs.flatMap(([key, value]) =>
    value === null || value === undefined || value === '' ? [] : [[key, value] as const],
  );
  return { kind: 'pairs', label, pairs: shown, ...(empty === undefined ? {} : { empty }) };
}

export function pairSection(
  title: string,
  pairs: readonly Pair[],
  { empty, ...parts }: SectionDefinitions & { readonly empty?: string } = {},
): Block {
  return section(title, pairsOf(title, pairs, empty), parts);
}

/** Returns a call site's frames as pairs, innermost first. The label says if they were captured earlier. */
export function callSitePairs(
  { callSite, isRemembered }: { readonly callSite: readonly CodeLocation[]; readonly isRemembered?: true },
  { editor }: { readonly editor: EditorLinker },
): readonly (readonly [string, RichValue])[] {
  const first = isRemembered === true ? 'Sent from, as before' : 'Sent from';
  return callSite.map((site, index) => [index === 0 ? first : 'Called by', locationValue(site, editor)]);
}
