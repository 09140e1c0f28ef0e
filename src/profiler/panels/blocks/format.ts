export {
  formatAge,
  formatBytes,
  formatCount,
  formatMilliseconds,
  isoTime,
  plural,
  shortPath,
} from '../../words/format.js';
