import type { EntityPlan, SlugField } from '../plan/entity-plan.js';
import type { FlushWork } from '../unit/flush-work.js';
import type { TranslationState } from '../unit/translation-state.js';
import { originalOf, valuesOf } from '../orm/entity-internals.js';
import { isNumberedFrom, slugify } from './slugify.js';
import { uniqueSlug } from './unique-slug.js';
import type { SlugPlace } from './unique-slug.js';

interface SlugWrite {
  readonly kind: 'create' | 'update';
  readonly changed: ReadonlySet<string>;
  readonly work: FlushWork;
  /** Absent where the entity is not translated. */
  readonly state: TranslationState | undefined;
  readonly isDefaultLocale: boolean;
}

interface SlugTask {
  readonly write: SlugWrite;
  readonly place: SlugPlace;
}

/**
 * Fills the slugs of an entity for one write. A slug set by hand is kept (and numbered where it is taken); others
 * follow their fields, those of the language that the slug itself has.
 */
export async function fillSlugs(entity: object, write: SlugWrite, place: SlugPlace): Promise<void> {
  for (const slug of place.plan.slugs) {
    const isText = slug.translated && !write.isDefaultLocale && write.kind === 'update';
    const made = await slugFor(entity, slug, { write, place });
    if (made !== undefined && isText) {
      // Texts are written and shown after the row; the row keeps the default language's slug.
      write.work.texts.set(slug.field, made);
    } else if (made !== undefined) valuesOf(entity)[slug.field] = made;
    if (slug.translated) await fillStaged(entity, slug, { write, place });
  }
}

async function slugFor(
  entity: object,
  slug: SlugField,
  { write, place }: SlugTask,
): Promise<string | undefined> {
  const current = write.work.texts.get(slug.field) ?? valuesOf(entity)[slug.field];
  const byHand =
    typeof current === 'string' &&
    current !== '' &&
    (write.kind === 'create' || write.changed.has(slug.field));
  if (byHand) return uniqueSlug(current, slug, { ...place, entity });
  if (write.kind === 'update' && (slug.updatable === false || !sourceChanged(slug, write, place.plan)))
    return undefined;
  const base = slugify(sourceText(entity, slug, { ...write, plan: place.plan }), slug);
  const shown = valuesOf(entity)[slug.field];
  if (write.kind === 'update' && typeof shown === 'string' && isNumberedFrom(shown, base, slug))
    return undefined;
  return uniqueSlug(base, slug, { ...place, entity });
}

/** Slugs of languages that were written beside the entity's own. */
async function fillStaged(entity: object, slug: SlugField, { write, place }: SlugTask): Promise<void> {
  for (const texts of write.state?.staged.values() ?? []) {
    if (texts.has(slug.field) || !slug.from.some((field) => texts.has(field))) continue;
    const text = slug.from.map((field) => texts.get(field) ?? textOf(valuesOf(entity)[field])).join(' ');
    texts.set(slug.field, await uniqueSlug(slugify(text, slug), slug, { ...place, entity }));
  }
}

function sourceChanged(
  slug: SlugField,
  { changed, work, isDefaultLocale }: SlugWrite,
  plan: EntityPlan,
): boolean {
  return slug.from.some((field) => {
    if (!changed.has(field)) return false;
    // An untranslated slug belongs to the default language: texts of others do not move it.
    return slug.translated || isDefaultLocale || !plan.translated.has(field) || !work.texts.has(field);
  });
}

function sourceText(
  entity: object,
  slug: SlugField,
  { state, isDefaultLocale, kind, plan }: SlugWrite & { readonly plan: EntityPlan },
): string {
  return slug.from
    .map((field) => {
      const isForeign =
        plan.translated.has(field) && !slug.translated && !isDefaultLocale && kind === 'update';
      return textOf(
        isForeign ? (state?.base.get(field) ?? originalOf(entity)?.[field]) : valuesOf(entity)[field],
      );
    })
    .filter((text) => text !== '')
    .join(' ');
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
