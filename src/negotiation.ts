/** Weighted lists in which clients state their preferences: Accept, Accept-Language (RFC 9110 section 12.5). */
export {
  parseQualityValues,
  mediaRangeSpecificity,
  type QualityValue,
} from './negotiation/parse-quality-values.js';
