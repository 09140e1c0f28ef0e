import type { VNode } from 'preact';
import type { ProfilerLinks } from '../site/links.js';
import type { Miss } from './missing.js';
import { say } from '../../words/say.js';

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
