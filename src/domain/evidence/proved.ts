/**
 * What stands at a place, as proof of a claim: `sure`, a search confirms it; `unsure`, it may be, so that it holds with confidence `low`; else why
 * it proves nothing.
 */
export type Proved = 'sure' | 'unsure' | { readonly not: string }

export const isProof = (proved: Proved | null | undefined): boolean => proved === 'sure' || proved === 'unsure'
