import type { Logger } from '#log';
import { persistenceErrors } from '../orm/error-codes.js';
import { warn } from '../orm/warn.js';
import type { EntityPlan } from '../plan/entity-plan.js';

/** What happens when a statement writes rows of an entity without its behaviours. */
export type BypassPolicy = 'warn' | 'refuse' | 'allow';

/** Effect of such a statement on rows. */
export type BypassKind = 'create' | 'update' | 'remove';

/**
 * Reports statements that bypass behaviours, once for each call and entity, or refuses them. Each ORM has one instance.
 */
export class Bypasses {
  readonly policy: BypassPolicy;
  /** Logger for warnings; default: process warnings of Node. */
  log: (() => Logger) | undefined;
  readonly #warned = new Set<string>();

  constructor(policy: BypassPolicy) {
    this.policy = policy;
  }

  /** Reports a statement. Throws `PERSISTENCE_BYPASSED` if the policy is `refuse`. */
  note(plan: EntityPlan, call: string, kind: BypassKind): void {
    const key = `${call} ${plan.meta.className}`;
    if (this.policy === 'allow' || (this.policy === 'warn' && this.#warned.has(key))) return;
    const behaviours = bypassedBehaviours(plan, kind);
    if (behaviours.length === 0) return;
    const facts = { call, entity: plan.meta.className, behaviours: behaviours.join(', ') };
    const error = persistenceErrors.create('PERSISTENCE_BYPASSED', facts);
    if (this.policy === 'refuse') throw error;
    this.#warned.add(key);
    warn(error, facts, this.log);
  }
}

/** Returns the behaviours of an entity that a write of this kind would have applied. */
function bypassedBehaviours(
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
