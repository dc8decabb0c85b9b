import type { Mutant } from './mutant.ts'
import { CITATION_MUTANTS } from './mutants-citations.ts'
import { FORM_MUTANTS } from './mutants-forms.ts'
import { SEARCH_MUTANTS } from './mutants-searches.ts'

/** Every rule of the gate, taken away in turn. */
export const MUTANTS: readonly Mutant[] = [...CITATION_MUTANTS, ...SEARCH_MUTANTS, ...FORM_MUTANTS]
