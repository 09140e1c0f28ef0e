/** Texts for lookback's own pages, with values filled in. */
export { say } from './phrases/say.js';
