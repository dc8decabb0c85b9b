import type { Rubric } from './rubric.ts'

/** Variables and sections that every question may use; each has a value for every request. */
export const VARIABLES = ['nonce', 'signals', 'steps', 'agents', 'claims', 'answer_schema'] as const
export const SECTIONS = [
  /** All instructions of the rubric are given. */
  'both',
  /** One of the instructions is carried out by saying something. */
  'by_message',
  /** The rubric tells what the harness measured. */
  'signals',
  /** The judge is not held to the schema by its provider: it has to be told the form. */
  'written_form',
] as const

/** What the question of a rubric may use: the common names, and those of its ground truth. */
export function promptNames({ truth }: Pick<Rubric, 'truth'>): { variables: string[]; sections: string[] } {
  const { instructions, members } = truth
  const named = [...members, ...instructions]
  return {
    variables: [...VARIABLES, ...named, ...instructions.map((name) => `${name}_acted_by`), 'acted_by'],
    sections: [...SECTIONS, ...named, ...named.map((name) => `no_${name}`)],
  }
}
