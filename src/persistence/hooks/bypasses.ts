import type { Logger } from '#log';
import { persistenceErrors } from '../orm/error-codes.js';
import { warn } from '../orm/warn.js';
import type { EntityPlan } from '../plan/entity-plan.js';

/** What happens when a statement writes rows of an entity without its behaviours. */
export type BypassPolicy = 'warn' | 'refuse' | 'allow';

/** What such a statement does to rows. */
export type BypassKind = 'create' | 'update' | 'remove';

/** Reports statements that bypass behaviours, once for each call and entity, or refuses them. One for each ORM. */
export class Bypasses {
  readonly policy: BypassPolicy;
  /** Where warnings go; default Node's own. */
  log: (() => Logger) | undefined;
  readonly #warned = new Set<string>();

  constructor(policy: BypassPolicy) {
    this.policy = policy;
  }

  /** Throws `PERSISTENCE_BYPASSED` where that is the policy. */
  note(plan: EntityPlan, call: string, kind: BypassKind): void {
    const key = `${call} ${plan.meta.className}`;
    if (this.policy === 'allow' || (this.policy === 'warn' && this.#warned.has(key))) return;
    const behaviours = passedBy(plan, kind);
    if (behaviours.length === 0) return;
    const facts = { call, entity: plan.meta.className, behaviours: behaviours.join(', ') };
    const error = persistenceErrors.create('PERSISTENCE_BYPASSED', facts);
    if (this.policy === 'refuse') throw error;
    this.#warned.add(key);
    warn(error, facts, this.log);
  }
}

/** The behaviours of an entity that a write of that kind would have called. */
function passedBy(
  { tracked, versioned, translated, slugs, softDelete }: EntityPlan,
  kind: BypassKind,
): string[] {
  const names = { time: 'timestampable', user: 'blameable', address: 'ipTraceable' } as const;
  const due = tracked.filter(({ on }) => kind === 'create' || (kind === 'update' && on !== 'create'));
  const found: (string | false)[] = [
    ...due.map(({ source }) => names[source]),
    kind !== 'remove' && slugs.length > 0 && 'sluggable',
    translated.size > 0 && 'translatable',
    versioned !== undefined && 'loggable',
    kind === 'remove' && softDelete !== undefined && 'softDeleteable',
  ];
  return [...new Set(found.filter((name) => name !== false))];
}
