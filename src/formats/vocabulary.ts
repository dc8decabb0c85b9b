import { wordSet } from '../domain/words.ts'
import data from './vocabulary.json' with { type: 'json' }

/**
 * Kinds of names in the vocabulary of a format. `asides`: members, at any depth, that hold no words of the run (settings, scores, the
 * harness's own copies of what is read elsewhere). `left_out`: types of records that hold nothing that the agent said, did or saw.
 * `own_arguments`, `own_results`: members that the harness adds to a call or a result. The words of `any` belong to no format.
 */
type Kind =
  | ('asides' | 'left_out' | 'left_out_system' | 'left_out_members' | 'own_arguments' | 'own_results')
  | ('starters' | 'looking' | 'calls' | 'of_calls' | 'act_words')

const VOCABULARY: Readonly<Record<string, Readonly<Partial<Record<Kind, string>>>>> = data

/** Returns the names of a kind in the vocabulary of a format. */
export function namesOf(format: string, kind: Kind): ReadonlySet<unknown> {
  const words = VOCABULARY[format]?.[kind]
  return words === undefined ? new Set() : wordSet(words)
}
