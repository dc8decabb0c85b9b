import type { Mutant } from './mutant.ts'
import { ACT_MUTANTS } from './mutants-acts.ts'
import { CERTAINTY_MUTANTS } from './mutants-certainty.ts'
import { CITATION_MUTANTS } from './mutants-citations.ts'
import { CONFIDENCE_MUTANTS } from './mutants-confidence.ts'
import { FORM_MUTANTS } from './mutants-forms.ts'
import { QUOTE_MUTANTS } from './mutants-quotes.ts'
import { SHELL_MUTANTS } from './mutants-shell.ts'
import { SIGHT_MUTANTS } from './mutants-sights.ts'

/** Every rule of the gate, taken away in turn. */
export const MUTANTS: readonly Mutant[] = [
  ...CITATION_MUTANTS,
  ...QUOTE_MUTANTS,
  ...ACT_MUTANTS,
  ...SHELL_MUTANTS,
  ...CERTAINTY_MUTANTS,
  ...SIGHT_MUTANTS,
  ...CONFIDENCE_MUTANTS,
  ...FORM_MUTANTS,
]
