import type { VNode } from 'preact';
import type { ProfilerLinks } from '../site/links.js';
import { say } from '../../words/say.js';

/** Why there is nothing to show, in words, and where to go instead. */
export interface Miss {
  readonly status: 403 | 404 | 409 | 429 | 502;
  /** Name of the kind for programs: `never-seen`, `purged`, `not-kept`, `not-written`, `malformed`, `unknown-panel`, `too-many-misses`. */
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  /** Choices that exist, as links. */
  readonly choices?: readonly { readonly label: string; readonly href: string }[];
  readonly retryAfter?: number;
}

/** The page for a record or panel that is not there. */
export function MissPage({ miss, links }: { miss: Miss; links: ProfilerLinks }): VNode {
  return (
    <div class="miss">
      <p class="muted">{miss.status}</p>
      <h1>{miss.title}</h1>
      <p>{miss.detail}</p>
      {miss.choices !== undefined && (
        <ul aria-label={say('What there is')}>
          {miss.choices.map((choice) => (
            <li>
              <a class="button" href={choice.href}>
                {choice.label}
              </a>
            </li>
          ))}
        </ul>
      )}
      <p class="actions">
        <a class="button primary" href={links.list()}>
          {say('All requests')}
        </a>
        <a class="button" href={links.record('latest')}>
          {say('Latest request')}
        </a>
      </p>
    </div>
  );
}
