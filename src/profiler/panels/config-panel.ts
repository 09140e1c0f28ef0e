import { say } from '../words/say.js';
import { icons } from './blocks/icons.js';
import { mono, pairsOf } from './blocks/make-blocks.js';
import type { Panel } from './panel.js';

/** The configuration under which the request ran. */
export const configPanel: Panel = {
  id: 'config',
  title: 'Configuration',
  icon: icons.config,
  badge: () => 'plain',
  show: (record) => [
    pairsOf(
      say('Configuration'),
      Object.entries(record.config).map(([name, value]) => [name, mono(String(value))]),
      say('Nothing was recorded about the configuration.'),
    ),
  ],
};
