import type { Collector } from '../model/collector.js';
import { cpuPart } from '../collectors/all-collectors.js';
import { budgetPart } from '../collectors/create-budget-collector.js';
import { dumpPart } from '../collectors/create-dump-collector.js';
import { headersPart } from '../collectors/create-header-collector.js';
import { renderPart } from '../collectors/create-render-collector.js';
import { securityPart } from '../collectors/create-security-collector.js';
import { translationPart } from '../collectors/create-translation-collector.js';
import { dbPart } from '../collectors/db-part.js';
import type { CompletedPart } from '../collectors/define-part.js';
import { loopPart } from '../collectors/loop-collector.js';
import { cachePart } from '../collectors/outgoing/cache-collector.js';
import { httpPart } from '../collectors/outgoing/http-collector.js';
import { jobsPart } from '../collectors/outgoing/jobs-collector.js';
import { mailPart } from '../collectors/outgoing/mail-collector.js';
import { tracePart } from '../collectors/outgoing/outgoing-collectors.js';
import { spansPart } from '../collectors/span-collector.js';

const parts: readonly CompletedPart[] = [
  budgetPart,
  cachePart,
  cpuPart,
  dbPart,
  dumpPart,
  headersPart,
].concat([
  httpPart,
  jobsPart,
  loopPart,
  mailPart,
  renderPart,
  securityPart,
  spansPart,
  tracePart,
  translationPart,
]);

/** The parts of the collectors of this package by section name, as the writer's thread needs them. */
export const builtInParts: ReadonlyMap<string, CompletedPart> = new Map(
  parts.map((part) => [part.name, part]),
);

/** Returns whether a collector is one of this package, whose data the writer completes. */
export function isBuiltIn({ name, part }: Collector): boolean {
  return part !== undefined && builtInParts.get(name) === part;
}
